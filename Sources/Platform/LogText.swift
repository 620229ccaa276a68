/// Escaping of what stands in a log line. The result is ASCII without control characters, and inside quotes it is
/// JSON: a value can neither end its line, nor its quotes, nor act on a terminal.
public enum LogText {
  private static let hex = Array("0123456789abcdef".utf8)

  /// Whether a text stands in double quotes as it is.
  public static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      guard byte &- 0x20 < 0x5f, byte != 0x22, byte != 0x5c else { return false }
    }
    return true
  }

  /// Appends a text as it stands in double quotes, without them. Bytes that are not UTF-8 become U+FFFD.
  public static func appendEscaped(_ text: Span<UInt8>, to line: inout [UInt8]) {
    append(text, to: &line, escapesQuotes: true)
  }

  /// Appends the text in double quotes, as a JSON string.
  public static func appendQuoted(_ text: String, to line: inout [UInt8]) {
    line.append(0x22)
    appendEscaped(Array(text.utf8).span, to: &line)
    line.append(0x22)
  }

  /// Appends the text without quotes of its own. Bytes that are not UTF-8 become U+FFFD.
  public static func append(_ text: String, to line: inout [UInt8]) {
    append(Array(text.utf8).span, to: &line, escapesQuotes: false)
  }

  private static func append(_ text: Span<UInt8>, to line: inout [UInt8], escapesQuotes: Bool) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case 0x22 where escapesQuotes: line += [0x5c, 0x22]
      case 0x5c: line += [0x5c, 0x5c]
      case 0x20..<0x7f: line.append(byte)
      case 0..<0x80: appendUnit(UInt16(byte), to: &line)
      default:
        var run = [byte]
        while index < text.count, text[index] >= 0x80 {
          run.append(text[index])
          index += 1
        }
        for unit in String(decoding: run, as: UTF8.self).utf16 { appendUnit(unit, to: &line) }
      }
    }
  }

  private static func appendUnit(_ unit: UInt16, to line: inout [UInt8]) {
    line += [0x5c, 0x75]
    for shift in [12, 8, 4, 0] { line.append(hex[Int(unit >> UInt16(shift) & 15)]) }
  }
}
