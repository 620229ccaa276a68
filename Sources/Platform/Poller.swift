internal import CLinux
internal import Glibc

/// An epoll(7) instance, level-triggered but where `.arrivals` is asked for. One thread.
@safe public struct Poller: ~Copyable {
  private let descriptor: FileDescriptor
  private var buffer: [epoll_event]

  /// What a descriptor is watched for. Errors and a connection that is closed in both directions are always told.
  public struct Interest: OptionSet, Hashable, Sendable {
    /// The flags of epoll_ctl(2).
    public let rawValue: UInt32
    /// Takes the flags of epoll_ctl(2).
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Something can be read, or the other side ended.
    public static let input = Interest(rawValue: EPOLLIN.rawValue)
    /// Input, and the other side's end, told once as they come (edge-triggered): whoever is told reads until less comes
    /// than was asked for, and after the end until that is read too. It spares the kernel to look again, before each
    /// wait, at all who were heard of in the last one. Watching anew (`modify`) tells of what is still there.
    public static let arrivals = Interest(
      rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
    /// Something can be written.
    public static let output = Interest(rawValue: EPOLLOUT.rawValue)
    /// Of several pollers that watch the same socket only one that waits is woken, the one that began to watch first;
    /// what is watched so cannot be modified.
    public static let exclusive = Interest(rawValue: EPOLLEXCLUSIVE.rawValue)
  }

  /// What happened to one descriptor.
  public struct Event: Sendable, Hashable {
    /// The number the descriptor was added with.
    public let token: UInt64
    let flags: UInt32

    /// A read will not wait.
    public var isReadable: Bool { flags & EPOLLIN.rawValue != 0 }
    /// The other side has ended; told to those who watch for arrivals.
    public var isInputEnded: Bool { flags & EPOLLRDHUP.rawValue != 0 }
    /// A write will not wait.
    public var isWritable: Bool { flags & EPOLLOUT.rawValue != 0 }
    /// Broken, or closed in both directions: nothing can be sent any more.
    public var isHangUp: Bool { flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 }
  }

  /// Takes at most `capacity` events at a time.
  public init(capacity: Int) throws(SystemError) {
    let number = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .last("epoll_create") }
    descriptor = FileDescriptor(owning: number)
    unsafe buffer = Array(repeating: epoll_event(), count: max(1, capacity))
  }

  /// Begins to watch a descriptor; closing it ends that.
  public func add(_ number: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, number, interest, token)
  }

  /// Changes what a watched descriptor is watched for.
  public func modify(_ number: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, number, interest, token)
  }

  /// Ends watching a descriptor that stays open; one that is not watched is left alone.
  public func remove(_ number: Int32) {
    var ignored = unsafe epoll_event()
    // It fails only for a descriptor that is not watched.
    _ = unsafe epoll_ctl(descriptor.number, EPOLL_CTL_DEL, number, &ignored)
  }

  private func control(
    _ operation: Int32, _ number: Int32, _ interest: Interest, _ token: UInt64
  ) throws(SystemError) {
    var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
    guard unsafe epoll_ctl(descriptor.number, operation, number, &event) == 0 else {
      throw .last("epoll_ctl")
    }
  }

  /// Waits until something happened or the time is over (negative: for ever), and says how many events there are.
  public mutating func wait(milliseconds: Int32) -> Int {
    let capacity = unsafe Int32(buffer.count)
    let count = unsafe buffer.withUnsafeMutableBufferPointer { events in
      unsafe clinux_epoll_wait(descriptor.number, events.baseAddress, capacity, milliseconds)
    }
    // An interrupted wait is an empty one: the caller looks at its clock and comes again.
    return max(0, Int(count))
  }

  /// An event of the last `wait`.
  public func event(_ index: Int) -> Event {
    unsafe Event(token: buffer[index].data.u64, flags: buffer[index].events)
  }
}
