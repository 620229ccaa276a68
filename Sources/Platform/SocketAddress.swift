internal import CLinux
internal import Glibc

/// A numeric address and port of the internet families, or the path of a Unix socket.
public enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address with its first byte highest.
  case ipv4(UInt32, port: UInt16)
  /// The address in two halves with its first byte highest, and the scope (interface) of a link-local one.
  case ipv6(UInt64, UInt64, port: UInt16, scope: UInt32)
  /// Nil for a socket without a path, as those of Unix clients mostly are.
  case unix(UnixSocketPath?)

  /// Reads a numeric address, IPv6 without brackets; nil for anything else: names are not looked up.
  public init?(host: String, port: UInt16) {
    var four = in_addr()
    if unsafe inet_pton(AF_INET, host, &four) == 1 {
      self = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
      return
    }
    var six = in6_addr()
    guard unsafe inet_pton(AF_INET6, host, &six) == 1 else { return nil }
    self.init(six, port: port, scope: 0)
  }

  private init(_ address: in6_addr, port: UInt16, scope: UInt32) {
    let halves = unsafe withUnsafeBytes(of: address) { bytes in
      unsafe (
        bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
    }
    self = .ipv6(UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1), port: port, scope: scope)
  }

  /// What the kernel filled in; nil for a family that is none of ours.
  init?(_ storage: sockaddr_storage) {
    switch Int32(storage.ss_family) {
    case AF_INET:
      let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
      self = .ipv4(UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
      self.init(address.sin6_addr, port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
    case AF_UNIX:
      let path = unsafe withUnsafeBytes(of: storage) { bytes in
        unsafe bytes[Self.pathOffset..<MemoryLayout<sockaddr_un>.size].prefix { $0 != 0 }.map { $0 }
      }
      self = .unix(UnixSocketPath(String(decoding: path, as: UTF8.self)))
    default: return nil
    }
  }

  private static var pathOffset: Int { MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2 }

  /// The port; 0 asks the kernel for a free one, and is what Unix sockets have.
  public var port: UInt16 {
    get {
      switch self {
      case .ipv4(_, let port), .ipv6(_, _, let port, _): port
      case .unix: 0
      }
    }
    set {
      switch self {
      case .ipv4(let bits, _): self = .ipv4(bits, port: newValue)
      case .ipv6(let high, let low, _, let scope): self = .ipv6(high, low, port: newValue, scope: scope)
      case .unix: break
      }
    }
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool {
    switch self {
    case .ipv4(let bits, _): bits >> 24 == 127
    case .ipv6(let high, let low, _, _): high == 0 && low == 1
    case .unix: true
    }
  }

  /// As it stands in a URL: `127.0.0.1:8080`, `[::1]:8080`; of a Unix socket `unix:/path`.
  public var description: String {
    switch self {
    case .ipv4(let bits, let port):
      return "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255):\(port)"
    case .ipv6(let high, let low, let port, _):
      var address = in6_addr()
      unsafe withUnsafeMutableBytes(of: &address) { bytes in
        unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      _ = unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(INET6_ADDRSTRLEN))
      let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return "[\(name)]:\(port)"
    case .unix(let path): return "unix:\(path?.text ?? "")"
    }
  }

  var family: Int32 {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Calls `body` with the address in the kernel's form.
  func withKernelForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch self {
    case .ipv4(let bits, let port):
      var form = sockaddr_in()
      form.sin_family = sa_family_t(AF_INET)
      form.sin_port = port.bigEndian
      form.sin_addr.s_addr = bits.bigEndian
      return unsafe withUnsafePointer(to: &form) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    case .ipv6(let high, let low, let port, let scope):
      var form = sockaddr_in6()
      form.sin6_family = sa_family_t(AF_INET6)
      form.sin6_port = port.bigEndian
      form.sin6_scope_id = scope
      unsafe withUnsafeMutableBytes(of: &form.sin6_addr) { bytes in
        unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return unsafe withUnsafePointer(to: &form) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    case .unix(let path):
      var form = sockaddr_un()
      form.sun_family = sa_family_t(AF_UNIX)
      let bytes = path.map { Array($0.text.utf8) } ?? []
      unsafe withUnsafeMutableBytes(of: &form.sun_path) { room in unsafe room.copyBytes(from: bytes) }
      return unsafe withUnsafePointer(to: &form) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(Self.pathOffset + bytes.count + 1))
        }
      }
    }
  }
}
