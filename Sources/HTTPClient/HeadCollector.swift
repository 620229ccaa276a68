/// Builds a `ResponseHead` from the header lines libcurl hands over: interim responses come first and are dropped,
/// trailer fields come after and are dropped, too.
struct HeadCollector {
  /// Bytes of all lines together.
  static let limit = 256 << 10

  private enum State {
    case outside
    case inside(status: Int)
    case complete(ResponseHead)
  }

  private var state = State.outside
  /// Of the head that is being read. Beside the state: taken out of it for each line, they would be copied each time.
  private var fields: [ResponseHead.Field] = []
  private var bytes = 0

  /// The final head, once its blank line was seen.
  var head: ResponseHead? {
    guard case .complete(let head) = state else { return nil }
    return head
  }

  /// What a line meant.
  enum Event { case more, complete(ResponseHead), tooLarge, malformed(String) }

  /// Fields that tell which bytes are the body: nobody may read them in another way than we do.
  private static let framing: Set<String> = ["content-length", "transfer-encoding", "content-range"]

  /// Takes in one line with its end.
  mutating func take(_ line: [UInt8]) -> Event {
    bytes += line.count
    guard bytes <= Self.limit else { return .tooLarge }
    // RFC 9112 §2.2: a CR ends a line only with its LF, and elsewhere others may take it for the end of one.
    if line.dropLast(line.last == 0x0A ? 1 : 0).dropLast(line.suffix(2) == [0x0D, 0x0A] ? 1 : 0).contains(
      0x0D)
    {
      return .malformed("a CR within a line")
    }
    // RFC 9110 §5.5.
    if line.contains(0) { return .malformed("a NUL in a line") }
    let text = Self.trimmed(String(decoding: line, as: UTF8.self)[...])
    switch state {
    case .complete: return .more
    case .outside:
      guard let status = Self.status(of: text) else { return .more }
      state = .inside(status: status)
      fields = []
      return .more
    case .inside(let status):
      if text.isEmpty { return end(status: status) }
      if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
        // RFC 9112 §5.2: an obsolete folded line is read as one with a space.
        if let last = fields.popLast() {
          guard !Self.framing.contains(last.name.lowercased()) else {
            return .malformed("\(last.name) goes on in another line")
          }
          fields.append(ResponseHead.Field(name: last.name, value: last.value + " " + text))
        }
      } else if let colon = text.firstIndex(of: ":") {
        fields.append(
          ResponseHead.Field(
            name: String(text[..<colon]), value: String(Self.trimmed(text[text.index(after: colon)...]))
          )
        )
      }
      return .more
    }
  }

  private mutating func end(status: Int) -> Event {
    defer { fields = [] }
    // RFC 9110 §15.2: 1xx are interim, the final response follows.
    guard status >= 200 else {
      state = .outside
      return .more
    }
    let lengths = Set(fields.lazy.filter { $0.name.lowercased() == "content-length" }.map(\.value))
    // RFC 9112 §6.3.
    if lengths.count > 1 || lengths.contains(where: { ResponseHead.decimal($0[...]) == nil }) {
      return .malformed("Content-Length: \(lengths.sorted().joined(separator: ", "))")
    }
    let head = ResponseHead(status: status, fields: fields)
    state = .complete(head)
    return .complete(head)
  }

  /// RFC 9112 §4: `HTTP/1.1 200 OK`; libcurl writes `HTTP/2 200` for HTTP/2.
  private static func status(of line: Substring) -> Int? {
    guard line.hasPrefix("HTTP/") else { return nil }
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[1].utf8.count == 3, let status = ResponseHead.decimal(parts[1]) else {
      return nil
    }
    return Int(status)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    // By scalar: a line end of CR and LF is one Character.
    let scalars = text.unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in
      scalar == " " || scalar == "\t" || scalar == "\r" || scalar == "\n"
    }
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return text[first..<scalars.index(after: last)]
  }
}
