/// A Content-Type: type, subtype and parameters (RFC 9110 §8.3.1).
public struct MediaType: Hashable, Sendable {
  /// `type/subtype` in lower case.
  public let essence: String
  /// Names in lower case; values as sent, unquoted.
  public let parameters: [String: String]

  /// Reads a field value; nil when it is unreadable, or names a parameter twice.
  public init?(_ value: String) {
    let bytes = Array(value.utf8)
    var reader = FieldReader(bytes)
    guard let type = reader.token(), reader.skip(UInt8(ascii: "/")), let subtype = reader.token(),
      let parameters = reader.parameters()
    else { return nil }
    essence = "\(type)/\(subtype)".lowercased()
    self.parameters = parameters
  }

  /// Whether it is `type/subtype` in any case, whatever the parameters.
  public func isType(_ essence: String) -> Bool { self.essence == essence.lowercased() }
}

extension HTTPRequest {
  /// The type of the request's body; nil when it is absent, repeated or unreadable.
  public var contentType: MediaType? {
    isRepeated(.contentType) ? nil : self[.contentType].flatMap { MediaType($0) }
  }
}
