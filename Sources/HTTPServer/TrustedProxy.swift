internal import HTTPWire

/// Addresses whose word on whom they ask for is taken.
public struct TrustedProxy: Hashable, Sendable {
  /// What `init(_:)` reads, for the message about something else.
  public static let syntax = "an address, a network such as 10.0.0.0/8 or fd00::/8, or unix"

  private enum Kind: Hashable {
    case unix
    /// An address and the bits of it that count.
    case ipv4(UInt32, mask: UInt32)
    case ipv6(UInt64, UInt64, highMask: UInt64, lowMask: UInt64)
  }

  private let kind: Kind

  /// Reads `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32` or `unix` (RFC 4632 §3.1, RFC 4291 §2.3). Nil for anything
  /// else, also for an address with bits beyond its prefix: such a network was meant otherwise.
  public init?(_ text: String) {
    guard text != "unix" else {
      kind = .unix
      return
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var length: Int?
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(parts[1])
      else { return nil }
      length = number
    }
    switch PeerAddress(parts[0]) {
    case .ipv4(let bits, _):
      guard length ?? 32 <= 32 else { return nil }
      // Shifts by the whole width yield 0.
      let mask = ~UInt32(0) << UInt32(32 - (length ?? 32))
      guard bits & ~mask == 0 else { return nil }
      kind = .ipv4(bits, mask: mask)
    case .ipv6(let high, let low, _):
      guard length ?? 128 <= 128 else { return nil }
      let highMask = ~UInt64(0) << UInt64(max(0, 64 - (length ?? 128)))
      let lowMask = ~UInt64(0) << UInt64(min(64, 128 - (length ?? 128)))
      guard high & ~highMask == 0, low & ~lowMask == 0 else { return nil }
      kind = .ipv6(high, low, highMask: highMask, lowMask: lowMask)
    case .local, nil: return nil
    }
  }

  func contains(_ peer: PeerAddress) -> Bool {
    switch (kind, peer) {
    case (.unix, .local): true
    case (.ipv4(let bits, let mask), .ipv4(let address, _)): address & mask == bits
    case (.ipv6(let high, let low, let highMask, let lowMask), .ipv6(let first, let second, _)):
      first & highMask == high && second & lowMask == low
    case (.unix, .ipv4), (.unix, .ipv6), (.ipv4, .local), (.ipv4, .ipv6), (.ipv6, .local), (.ipv6, .ipv4):
      false
    }
  }
}
