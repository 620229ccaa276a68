/// A value that travels through JSON as one string.
protocol TextCodable: Codable {
  init?(_ text: String)
  var description: String { get }
}

extension TextCodable {
  /// Throws `DecodingError` for a text that is no such value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text.debugDescription) is not a \(Self.self)")
    }
    self = value
  }

  /// As the string that `init(_:)` reads.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension GameID: TextCodable {}
extension H5Version: TextCodable {}
extension ChannelName: TextCodable {}
extension Timestamp: TextCodable {}
extension Digest: TextCodable {
  init?(_ text: String) { self.init(hex: text) }
}
