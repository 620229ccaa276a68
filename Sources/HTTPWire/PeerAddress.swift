/// Where a connection comes from.
public enum PeerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A Unix socket, or no socket at all.
  case local
  /// The address with its first byte highest, and the port.
  case ipv4(UInt32, port: UInt16)
  /// The address in two halves with its first byte highest, and the port.
  case ipv6(UInt64, UInt64, port: UInt16)

  /// The address without the port: `127.0.0.1`, `2001:db8:0:0:0:0:0:1`, `local`.
  public var description: String {
    switch self {
    case .local: "local"
    case .ipv4(let bits, _):
      "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
    case .ipv6(let high, let low, _):
      [high, low].flatMap { half in
        [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xffff, radix: 16) }
      }.joined(separator: ":")
    }
  }
}
