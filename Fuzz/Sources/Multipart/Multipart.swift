import FuzzInput
import HTTPWire

/// Input: a `multipart/form-data` body whose first line is its boundary; without one the boundary is `B`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  let boundary = boundary(of: input.bytes)
  guard (try? MultipartParser(boundary: boundary, limits: limits)) != nil else { return -1 }
  let outcomes = input.cuttings.map { Outcome(input.bytes, $0, boundary) }
  for outcome in outcomes { hold(outcome == outcomes[0], "any cut gives the same parts and verdict") }
  check(outcomes[0], boundary)
  if outcomes[0].error == nil { checkRoundTrip(outcomes[0].parts) }
  return 0
}

/// Small enough for an input to go over each of them.
private let limits = MultipartLimits(headBytes: 300, fieldBytes: 100, parts: 5)

private func boundary(of bytes: [UInt8]) -> String {
  guard bytes.starts(with: [0x2d, 0x2d]) else { return "B" }
  let line = bytes.dropFirst(2).prefix { $0 != 0x0d && $0 != 0x0a }
  return String(decoding: line, as: UTF8.self)
}

private struct Part: Equatable {
  let name: String
  let filename: String?
  let contentType: String?
  var content: [UInt8] = []
  var isComplete = false
}

private struct Outcome: Equatable {
  var parts: [Part] = []
  var error: MultipartError?

  init(_ bytes: [UInt8], _ pieces: [Range<Int>], _ boundary: String) {
    do throws(MultipartError) {
      var parser = try MultipartParser(boundary: boundary, limits: limits)
      for piece in pieces {
        let wasFinished = parser.isFinished
        let events = try parser.parse(Array(bytes[piece]))
        hold(!wasFinished || events.isEmpty, "nothing comes behind the end")
        hold(events.last == .end || !events.contains(.end), "the end is the last event")
        hold(events.contains(.end) == (parser.isFinished && !wasFinished), "the end is told once")
        for event in events { take(event) }
      }
      try parser.finish()
    } catch {
      self.error = error
      // What was handed on before the fault depends on the cut; the verdict does not.
      parts = []
    }
  }

  private mutating func take(_ event: MultipartParser.Event) {
    let isOpen = parts.last?.isComplete == false
    switch event {
    case .part(let name, let filename, let contentType):
      hold(!isOpen, "a part begins when the last is complete")
      parts.append(Part(name: name, filename: filename, contentType: contentType))
    case .data(let bytes):
      hold(isOpen && !bytes.isEmpty, "content is something, in a part")
      parts[parts.count - 1].content += bytes
    case .endOfPart:
      hold(isOpen, "a part that began is complete once")
      parts[parts.count - 1].isComplete = true
    case .end: hold(!isOpen, "the end comes behind the last part")
    }
  }
}

private func check(_ outcome: Outcome, _ boundary: String) {
  hold(outcome.parts.count <= limits.parts, "no more parts than may be")
  let delimiter = Array("\r\n--\(boundary)".utf8)
  for part in outcome.parts {
    hold(part.isComplete, "each part is complete")
    hold(part.filename != nil || part.content.count <= limits.fieldBytes, "no field is larger than it may be")
    // The line break that ends the head may be the delimiter's.
    let content = [0x0d, 0x0a] + part.content
    for end in ["--", "\r\n", " \r\n", "\t\r\n"] {
      hold(!content.contains(delimiter + Array(end.utf8)), "no delimiter stands in content")
    }
  }
}

/// The parts, written out once more, are the same parts.
private func checkRoundTrip(_ parts: [Part]) {
  let boundary = String(repeating: "=", count: 70)
  let delimiter = Array("--\(boundary)".utf8)
  var body: [UInt8] = []
  for part in parts {
    guard !part.content.contains(delimiter), let head = head(of: part) else { return }
    body += delimiter + head + part.content + [0x0d, 0x0a]
  }
  body += delimiter + Array("--\r\n".utf8)
  let again = Outcome(body, [0..<body.count], boundary)
  if case .headTooLarge = again.error { return }
  hold(again.error == nil && again.parts == parts, "parts that are written come back")
}

/// Nil for names that hold what a quoted text cannot.
private func head(of part: Part) -> [UInt8]? {
  func quoted(_ text: String) -> String? {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { return nil }
    let escaped = text.utf8.flatMap { $0 == 0x22 || $0 == 0x5c ? [0x5c, $0] : [$0] }
    return "\"\(String(decoding: escaped, as: UTF8.self))\""
  }
  guard let name = quoted(part.name) else { return nil }
  var text = "\r\nContent-Disposition: form-data; name=\(name)"
  if let filename = part.filename {
    guard let filename = quoted(filename) else { return nil }
    text += "; filename=\(filename)"
  }
  text += "\r\n"
  if let type = part.contentType { text += "Content-Type: \(type)\r\n" }
  return Array((text + "\r\n").utf8)
}
