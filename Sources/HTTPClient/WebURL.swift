/// An http or https URL as libcurl will read it: the one parser that decides where a request goes also decides whether
/// a token may go with it. Without user, password and fragment.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
  /// The two schemes this client speaks.
  public enum Scheme: String, Sendable, Hashable { case http, https }

  /// Who answers: scheme, host and port (RFC 6454 §4).
  public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// How it is spoken to.
    public let scheme: Scheme
    /// Lower case; IPv6 addresses in brackets.
    public let host: String
    /// The scheme's own one when the URL names none.
    public let port: UInt16
    /// As text.
    public var description: String { "\(scheme.rawValue)://\(host):\(port)" }
  }

  /// The whole URL, dot segments resolved.
  public let text: String
  /// Who answers for it.
  public let origin: Origin

  /// How it is spoken to.
  public var scheme: Scheme { origin.scheme }
  /// As text.
  public var description: String { text }

  /// Nil unless `text` is an absolute http or https URL without credentials, spaces and control characters.
  public init?(_ text: String) { self.init(text, base: nil) }

  private init?(_ text: String, base: String?) {
    guard let parts = URLParts(text, base: base), let scheme = Scheme(rawValue: parts.scheme.lowercased()),
      let port = UInt16(parts.port), !parts.host.isEmpty, parts.user == nil, parts.password == nil
    else { return nil }
    self.text = parts.url
    origin = Origin(scheme: scheme, host: parts.host.lowercased(), port: port)
  }

  /// What `reference` means on a page at this URL (RFC 3986 §5); nil when that is nothing a `WebURL` can be.
  public func resolving(_ reference: String) -> WebURL? { WebURL(reference, base: text) }

  /// This URL with path segments and query items added, everything in them percent-encoded that is not unreserved
  /// (RFC 3986 §2.3). A query this URL has is dropped; one trailing slash of its path, too.
  public func appending(_ segments: [String], query: [(name: String, value: String)] = []) -> WebURL? {
    var result = String(text.prefix { $0 != "?" })
    if result.hasSuffix("/") { result.removeLast() }
    for segment in segments {
      // `.` and `..` stay special even when encoded.
      guard segment != ".", segment != ".." else { return nil }
      result += "/" + Self.encode(segment)
    }
    if !query.isEmpty {
      result += "?" + query.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }
    return WebURL(result)
  }

  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
