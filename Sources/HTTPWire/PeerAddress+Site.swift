extension PeerAddress {
  /// What counts as one client where clients are counted.
  public enum Site: Hashable, Sendable {
    /// An address.
    case ipv4(UInt32)
    /// The first half of an address: its /64 (RFC 6177 §2: a site gets no less).
    case ipv6(UInt64)
  }

  /// Nil for Unix sockets.
  public var site: Site? {
    switch self {
    case .local: nil
    case .ipv4(let bits, _): .ipv4(bits)
    case .ipv6(let high, _, _): .ipv6(high)
    }
  }
}
