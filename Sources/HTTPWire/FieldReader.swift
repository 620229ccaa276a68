/// Reads a structured field value from front to back: tokens, quoted strings, parameters (RFC 9110 §5.6).
struct FieldReader {
  private let bytes: [UInt8]
  private var index = 0
  /// Whether a backslash escapes only a quote or itself, for the file names of old browsers (`C:\new`).
  private let keepsBackslashes: Bool

  init(_ bytes: [UInt8], keepsBackslashes: Bool = false) {
    self.bytes = bytes
    self.keepsBackslashes = keepsBackslashes
  }

  /// A token, as text; nil, without moving, when there is none.
  mutating func token() -> String? {
    let start = index
    while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
    return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
  }

  /// Steps over a byte if it is the next one.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { index >= bytes.count }

  /// Steps over spaces and tabs.
  mutating func skipBlanks() {
    while index < bytes.count, bytes[index].isBlank { index += 1 }
  }

  /// RFC 9110 §5.6.6: parameters = *( OWS ";" OWS [ parameter ] ), up to the end; nil when they are unreadable or have a
  /// name twice. Names come out in lower case; bytes that are not UTF-8 become U+FFFD.
  mutating func parameters() -> [String: String]? {
    var parameters: [String: String] = [:]
    while true {
      skipBlanks()
      guard index < bytes.count else { return parameters }
      guard skip(UInt8(ascii: ";")) else { return nil }
      skipBlanks()
      guard let name = token()?.lowercased() else { continue }
      guard skip(UInt8(ascii: "=")), let value = value(), parameters.updateValue(value, forKey: name) == nil
      else {
        return nil
      }
    }
  }

  /// RFC 9110 §5.6.6: parameter-value = ( token / quoted-string ); nil when it is neither.
  mutating func value() -> String? {
    guard skip(0x22) else { return token() }
    var value: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x22 { return String(decoding: value, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), index < bytes.count {
        let next = bytes[index]
        if !keepsBackslashes || next == 0x22 || next == UInt8(ascii: "\\") {
          value.append(next)
          index += 1
          continue
        }
      }
      value.append(byte)
    }
    return nil
  }
}
