/// Who took part in forwarding a request, as a proxy names it (RFC 7239 §6).
public enum ForwardedNode: Hashable, Sendable {
  /// An address; port 0 when none, or an obfuscated one, was told.
  case address(PeerAddress)
  /// The proxy does not know (RFC 7239 §6.2).
  case unknown
  /// A name that means something to the proxy alone, `_` included (RFC 7239 §6.3).
  case obfuscated(String)

  /// Reads `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:_port`, `unknown` or `_name`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let name: String
    let rest: Substring
    let whole = String(text)
    if whole.hasPrefix("[") {
      guard let end = whole.firstIndex(of: "]") else { return nil }
      name = String(whole[whole.index(after: whole.startIndex)..<end])
      rest = whole[whole.index(after: end)...]
      guard name.contains(":") else { return nil }
    } else {
      let end = whole.firstIndex(of: ":") ?? whole.endIndex
      name = String(whole[..<end])
      rest = whole[end...]
    }
    var port: UInt16 = 0
    if !rest.isEmpty {
      guard rest.hasPrefix(":"), let number = Self.port(rest.dropFirst()) else { return nil }
      port = number
    }
    if let address = PeerAddress(name, port: port) {
      self = .address(address)
    } else if name.lowercased() == "unknown" {
      self = .unknown
    } else if Self.isObfuscated(name) {
      self = .obfuscated(name)
    } else {
      return nil
    }
  }

  /// Reads a member of `X-Forwarded-For`, which nothing specifies: IPv6 addresses come with and without brackets there.
  public init?(informal text: some StringProtocol) {
    if let address = PeerAddress(text) {
      self = .address(address)
    } else {
      self.init(text)
    }
  }

  /// RFC 7239 §6: node-port = port / obfport.
  private static func port(_ text: Substring) -> UInt16? {
    if isObfuscated(text) { return 0 }
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
    return UInt16(text)
  }

  /// RFC 7239 §6.3: "_" 1*( ALPHA / DIGIT / "." / "_" / "-").
  private static func isObfuscated(_ text: some StringProtocol) -> Bool {
    text.hasPrefix("_") && text.utf8.count > 1
      && text.utf8.allSatisfy { byte in
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
          || byte == UInt8(ascii: "-")
      }
  }
}
