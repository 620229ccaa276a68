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
  check(outcomes[0])
  if outcomes[0].error == nil {
    hold(
      outcomes[0].parts.map(\.content) == slowContents(input.bytes, boundary),
      "content is what stands between")
  }
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

private func check(_ outcome: Outcome) {
  hold(outcome.parts.count <= limits.parts, "no more parts than may be")
  for part in outcome.parts {
    hold(part.isComplete, "each part is complete")
    hold(part.filename != nil || part.content.count <= limits.fieldBytes, "no field is larger than it may be")
  }
}

/// The contents of a body that was taken, found once more by looking for whole delimiters.
private func slowContents(_ body: [UInt8], _ boundary: String) -> [[UInt8]] {
  // As if there were a line before, so that the first delimiter is like the others.
  let bytes = [0x0d, 0x0a] + body
  let delimiter = Array("\r\n--\(boundary)".utf8)
  var contents: [[UInt8]] = []
  var searched = 0
  var contentStart: Int?
  while let found = bytes[searched...].firstRange(of: delimiter) {
    let rest = bytes[found.upperBound...]
    let blanks = rest.prefix { $0 == 0x20 || $0 == 0x09 }
    let isLast = rest.starts(with: [0x2d, 0x2d])
    guard isLast || rest.dropFirst(blanks.count).starts(with: [0x0d, 0x0a]) else {
      searched = found.lowerBound + 1
      continue
    }
    if let contentStart {
      contents.append(Array(bytes[min(contentStart, found.lowerBound)..<found.lowerBound]))
    }
    let headStart = found.upperBound + blanks.count + 2
    guard !isLast, let headEnd = bytes[headStart...].firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a]) else { break }
    contentStart = headEnd.upperBound
    // The line break that ends a head can be the next delimiter's.
    searched = headEnd.lowerBound + 2
  }
  return contents
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
