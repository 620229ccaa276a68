/// What a part's head says about it (RFC 7578 §4).
struct MultipartHead {
  let name: String
  let filename: String?
  let contentType: String?

  /// Reads the lines of a head, each ended by CR LF, the empty one included.
  init(_ bytes: [UInt8]) throws(MultipartError) {
    var disposition: String?
    var contentType: String?
    var start = 0
    while let end = bytes.span.firstIndex(of: 0x0d, in: start..<bytes.count), end > start {
      let (name, value) = try Self.line(bytes.span, in: start..<end)
      let text = String(decoding: bytes[value], as: UTF8.self)
      if bytes.span.matches("content-disposition", in: name) {
        guard disposition == nil else { throw .malformed("A part has two Content-Dispositions.") }
        disposition = text
      } else if bytes.span.matches("content-type", in: name) {
        guard contentType == nil else { throw .malformed("A part has two Content-Types.") }
        contentType = text
      } else if bytes.span.matches("content-transfer-encoding", in: name) {
        // RFC 7578 §4.7: deprecated; the ones that change nothing are harmless.
        guard ["binary", "8bit", "7bit"].contains(text.lowercased()) else {
          throw .malformed("A part is encoded: only plain bytes are taken.")
        }
      }
      guard end + 1 < bytes.count, bytes[end + 1] == 0x0a else {
        throw .malformed("A line of a part's head has no CR LF.")
      }
      start = end + 2
    }
    guard let disposition else { throw .malformed("A part has no Content-Disposition.") }
    (name, filename) = try Self.names(disposition)
    self.contentType = contentType
  }

  private static func line(
    _ bytes: Span<UInt8>, in range: Range<Int>
  ) throws(MultipartError) -> (name: Range<Int>, value: Range<Int>) {
    var colon = range.lowerBound
    while colon < range.upperBound, bytes[colon].isTokenCharacter { colon += 1 }
    guard colon > range.lowerBound, colon < range.upperBound, bytes[colon] == UInt8(ascii: ":") else {
      throw .malformed("A line of a part's head has no proper name and colon.")
    }
    let value = bytes.trimmed(colon + 1..<range.upperBound)
    for index in value where !bytes[index].isFieldValueCharacter {
      throw .malformed("A control character stands in a part's head.")
    }
    return (range.lowerBound..<colon, value)
  }

  /// RFC 7578 §4.2: form-data with a name, and for a file its name.
  private static func names(_ disposition: String) throws(MultipartError) -> (String, String?) {
    var reader = FieldReader(Array(disposition.utf8), keepsBackslashes: true)
    guard let type = reader.token(), type.lowercased() == "form-data", let parameters = reader.parameters(),
      let name = parameters["name"]
    else { throw .malformed("A part's Content-Disposition is not form-data with a name.") }
    return (name, parameters["filename*"].flatMap(extended) ?? parameters["filename"])
  }

  /// RFC 8187 §3.2.1: charset "'" [ language ] "'" value-chars; nil for a charset other than UTF-8.
  private static func extended(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    return PercentEncoding.decode(String(parts[2]))
  }
}
