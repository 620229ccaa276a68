internal import CLinux
internal import Glibc

/// What started this service, where it wants to know how it fares: systemd's protocol (sd_notify(3)), one datagram each time.
public struct ServiceManager: Sendable, Hashable {
  /// In which time it must hear `WATCHDOG=1`, or ends the service; nil when it does not watch.
  public let watchdog: Duration?
  /// As in `sun_path` (unix(7)): a leading NUL stands for an abstract name.
  private let name: [UInt8]

  /// Nil when nobody wants to know: without a usable `NOTIFY_SOCKET`.
  public init?(environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], (2...UnixSocketPath.limit).contains(path.utf8.count),
      path.hasPrefix("/") || path.hasPrefix("@")
    else { return nil }
    var name = Array(path.utf8)
    if path.hasPrefix("@") { name[0] = 0 }
    self.name = name
    // The watchdog may be another process's business.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    if isMeant, let period = environment["WATCHDOG_USEC"].flatMap(Int64.init), period > 0 {
      watchdog = .microseconds(period)
    } else {
      watchdog = nil
    }
  }

  /// It takes requests now.
  public func ready() { tell("READY=1") }

  /// It reads its settings again; `ready` follows.
  public func reloading() {
    tell("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.monotonicNanoseconds / 1000)")
  }

  /// It finishes what runs, and ends.
  public func stopping() { tell("STOPPING=1") }

  /// It is alive.
  public func alive() { tell("WATCHDOG=1") }

  /// Sends one datagram and never waits: who does not listen is not told.
  private func tell(_ state: String) {
    let socket = FileDescriptor(
      owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    guard socket.number >= 0 else { return }
    var form = sockaddr_un()
    form.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &form.sun_path) { room in unsafe room.copyBytes(from: name) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    // An abstract name has no NUL at its end: its length counts.
    let length = socklen_t(offset + name.count + (name[0] == 0 ? 0 : 1))
    let bytes = Array(state.utf8)
    _ = unsafe withUnsafePointer(to: &form) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe sendto(
            socket.number, bytes.baseAddress, bytes.count,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT),
            address, length)
        }
      }
    }
  }
}
