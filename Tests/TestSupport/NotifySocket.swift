import Glibc
import Platform

/// What a service manager listens with: a datagram socket, in the file system or abstract.
public final class NotifySocket: Sendable {
  /// As `NOTIFY_SOCKET` has it.
  public let address: String
  private let number: Int32

  /// Listens; a name that begins with `@` is abstract.
  public init(_ address: String) throws {
    self.address = address
    number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var form = sockaddr_un()
    form.sun_family = sa_family_t(AF_UNIX)
    var name = Array(address.utf8)
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    unsafe withUnsafeMutableBytes(of: &form.sun_path) { room in unsafe room.copyBytes(from: name) }
    let length = socklen_t(2 + name.count + (name[0] == 0 ? 0 : 1))
    let outcome = unsafe withUnsafePointer(to: &form) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, length) }
    }
    guard outcome == 0 else { throw SystemError(errno: errno, operation: "bind", path: address) }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(number) }

  /// The next datagram; nil when none comes within half a minute.
  public func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(number, &bytes, bytes.count, 0)
    return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
