/// `Content-Disposition` of a response (RFC 6266): the name a server suggests for the file.
enum ContentDisposition {
  /// The suggested name as it was sent, not to be trusted; nil when there is none or the field cannot be read.
  static func fileName(_ field: String) -> String? {
    var reader = Reader(rest: Array(field.unicodeScalars)[...])
    _ = reader.token()
    var plain: String?
    while reader.skip(";") {
      let name = reader.token().lowercased()
      guard !name.isEmpty, reader.skip("="), let value = reader.value() else { return plain }
      // RFC 6266 §4.3: the extended form is preferred, wherever it stands.
      if name == "filename*", let decoded = extended(value) { return decoded }
      if name == "filename", plain == nil { plain = value }
    }
    return plain
  }

  /// RFC 8187 §3.2: charset, language and percent-encoded octets.
  private static func extended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentCoding.decode(String(parts[2])) else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self)
    case "iso-8859-1":
      var text = ""
      for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      return text
    default: return nil
    }
  }

  private struct Reader {
    var rest: ArraySlice<Unicode.Scalar>

    /// What RFC 9110 §5.6.2 calls a token, and the asterisk is one of its characters; read more generously.
    mutating func token() -> String {
      skipSpace()
      let end = rest.firstIndex { ";= \t\"".unicodeScalars.contains($0) } ?? rest.endIndex
      defer { rest = rest[end...] }
      return text(rest[..<end])
    }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      skipSpace()
      guard rest.first == mark else { return false }
      rest.removeFirst()
      return true
    }

    /// A token or a quoted string (RFC 9110 §5.6.4); nil when the quotes do not end.
    mutating func value() -> String? {
      guard skip("\"") else {
        let end = rest.firstIndex(of: ";") ?? rest.endIndex
        defer { rest = rest[end...] }
        return text(rest[..<end])
      }
      var scalars = String.UnicodeScalarView()
      while let scalar = rest.popFirst() {
        if scalar == "\"" { return String(scalars) }
        guard scalar == "\\" else {
          scalars.append(scalar)
          continue
        }
        guard let quoted = rest.popFirst() else { return nil }
        // Browsers of old sent Windows paths unescaped: a backslash that escapes nothing stays.
        if quoted != "\"" && quoted != "\\" { scalars.append("\\") }
        scalars.append(quoted)
      }
      return nil
    }

    private mutating func skipSpace() {
      rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      var scalars = scalars
      while scalars.last == " " || scalars.last == "\t" { scalars.removeLast() }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      return String(view)
    }
  }
}

/// Percent-encoding (RFC 3986 §2.1).
enum PercentCoding {
  /// The octets meant; nil when a percent sign is not followed by two hex digits.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
