/// The `%HH` of URLs (RFC 3986 §2.1), strictly.
public enum PercentEncoding {
  /// The text that a part of a URL stands for; nil for a `%` without two hexadecimal digits, or for bytes that are not
  /// UTF-8. A `+` is a plus.
  public static func decode(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    return decode(bytes.span, in: 0..<bytes.count)
  }

  static func decode(_ bytes: Span<UInt8>, in range: Range<Int>) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard index + 1 < range.upperBound, let high = bytes[index].hexValue,
        let low = bytes[index + 1].hexValue
      else {
        return nil
      }
      decoded.append(high << 4 | low)
      index += 2
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// The text in a form that any part of a URL can hold: everything but unreserved characters (RFC 3986 §2.3) encoded.
  public static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case _ where byte.isLetter || byte.isDigit, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
