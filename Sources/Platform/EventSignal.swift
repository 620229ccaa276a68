internal import CLinux
internal import Glibc

/// An eventfd(2): any thread signals, the one that polls the descriptor wakes.
public final class EventSignal: Sendable {
  private let descriptor: FileDescriptor

  /// Not signalled yet.
  public init() throws(SystemError) {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw .last("eventfd") }
    descriptor = FileDescriptor(owning: number)
  }

  /// For the poller, which only borrows it.
  public var number: Int32 { descriptor.number }

  /// Makes the descriptor readable.
  public func signal() {
    var one: UInt64 = 1
    _ = retryingOnInterrupt { unsafe write(number, &one, 8) }
  }

  /// Makes it unreadable again; false when nobody had signalled.
  @discardableResult
  public func clear() -> Bool {
    var count: UInt64 = 0
    return retryingOnInterrupt { unsafe read(number, &count, 8) } == 8
  }

  /// Waits until somebody signals, or the time is over; whether somebody did. It stays signalled.
  public func wait(for time: Duration) -> Bool {
    var asked = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    let (seconds, attoseconds) = time.components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    return retryingOnInterrupt { unsafe poll(&asked, 1, milliseconds) } == 1
  }
}
