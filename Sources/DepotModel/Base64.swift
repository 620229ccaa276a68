internal import FoundationEssentials

/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
  /// Nil for text that is none.
  public static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { [UInt8]($0) } }

  /// The text of bytes.
  public static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
