internal import FoundationEssentials

/// JSON as this project writes it: UTF-8, sorted members (so that equal values are equal bytes), plain slashes.
public enum JSON {
  /// Throws what the value's own `encode(to:)` throws.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }

  /// Throws `DecodingError`, whose coding path tells where the text went wrong.
  public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }
}
