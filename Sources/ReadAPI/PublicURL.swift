/// The address a depot is reached under from outside: `https://games.example.org` or `https://example.org/depot`.
public struct PublicURL: Hashable, Sendable, CustomStringConvertible {
  /// Without a slash at the end.
  public let text: String
  /// The path part, empty or beginning with a slash.
  package let path: String

  /// Nil unless `text` is `http://` or `https://`, a host with an optional port, and an optional plain path.
  public init?(_ text: String) {
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
      return nil
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.last == "/" { path.removeLast() }
    guard Authority.isValid(authority.utf8), path.utf8.allSatisfy(Self.isPlain) else { return nil }
    self.text = scheme + authority.lowercased() + path
    self.path = String(path)
  }

  /// The URL.
  public var description: String { text }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "%"):
      true
    default: false
    }
  }
}

/// The `host[:port]` of a Host field or a URL (RFC 3986 §3.2).
package enum Authority {
  /// A registered name, an IPv4 address or a bracketed IPv6 address, and perhaps a port of at most 65535. Escapes and
  /// user names, which RFC 3986 allows in one place or another, have no business in a link that others will follow.
  package static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count <= 255 + 6 else { return false }
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = bytes[bytes.index(after: bytes.startIndex)..<end]
      guard address.count >= 2, address.contains(UInt8(ascii: ":")), address.allSatisfy(isAddressByte) else {
        return false
      }
      return isPort(bytes[bytes.index(after: end)...])
    }
    let name = bytes.prefix { $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, name.allSatisfy(isNameByte) else { return false }
    return isPort(bytes[name.endIndex...])
  }

  private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    guard first == UInt8(ascii: ":"), (2...6).contains(bytes.count) else { return false }
    var port = 0
    for byte in bytes.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
      port = port * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return port <= 65535
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: ":"), UInt8(ascii: "."): true
    default: false
    }
  }
}
