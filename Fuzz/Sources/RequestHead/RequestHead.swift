import FuzzInput
import HTTPWire

/// Input: what a client sends on a connection that carries no bodies, one head after another.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequestHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  var position = 0
  // What follows a head is read again as if it were the next one.
  while let end = checkHead(input, from: position), position < end { position = end }
  return 0
}

/// A head with fields that most others lack.
private let usedHead: [UInt8] = {
  let framing = "Host: old\r\nContent-Length: 7\r\nExpect: 100-continue\r\nConnection: keep-alive\r\n"
  let others = "Range: old\r\nrange: old\r\nIf-Range: old\r\nX-Request-Id: old\r\n"
  return Array("OPTIONS http://old.test/old?old HTTP/1.0\r\n\(framing)\(others)\r\n".utf8)
}()

/// Small enough for an input to go over each of them.
private let limits = HTTPLimits(headBytes: 2000, fieldCount: 20, targetBytes: 400)

private func checkHead(_ input: FuzzInput, from start: Int) -> Int? {
  let bytes = input.bytes
  var parser = RequestParser(limits: limits)
  let whole = parser.parse(bytes, in: start..<bytes.count)
  for pieces in input.cuttings { checkCut(bytes, pieces, start, whole) }
  switch whole {
  case .needsMore:
    hold(bytes.count - start <= limits.headBytes, "more than the limit is refused, not waited for")
    return nil
  case .refused(let refusal):
    let statuses: [HTTPStatus] = [
      .badRequest, .contentTooLarge, .uriTooLong, .expectationFailed, .headTooLarge, .notImplemented,
      .versionNotSupported,
    ]
    hold(statuses.contains(refusal.status), "a refusal has one of the parser's statuses")
    return nil
  case .request(let request, let end):
    checkLines(request, start, end)
    checkMeaning(request)
    checkMoved(request, Array(bytes[start..<end]))
    return end
  }
}

/// At any cut the answer is the same, or not there yet where a refusal can wait for the line's end.
private func checkCut(_ bytes: [UInt8], _ pieces: [Range<Int>], _ start: Int, _ whole: RequestParser.Outcome)
{
  var parser = RequestParser(limits: limits)
  for piece in pieces where piece.upperBound > start {
    switch (parser.parse(bytes, in: start..<piece.upperBound), whole) {
    case (.needsMore, _): continue
    case (.request(let request, let end), .request(let other, let otherEnd)):
      return hold(end == otherEnd && isSame(request, other), "any cut gives the same request")
    case (.refused(let refusal), .refused(let other)):
      return hold(refusal == other, "any cut gives the same refusal")
    default: return hold(false, "any cut gives the same verdict")
    }
  }
  if case .request = whole { hold(false, "a complete head is found at any cut") }
}

private func isSame(_ one: HTTPRequest, _ other: HTTPRequest) -> Bool {
  one.method == other.method && one.version == other.version && one.body == other.body
    && one.isKeepAlive == other.isKeepAlive && one.expectsContinue == other.expectsContinue
    && one.target == other.target && one.path == other.path && one.query == other.query
    && one.host == other.host && one.text(one.headSlice) == other.text(other.headSlice)
    && KnownField.allCases.allSatisfy { one[$0] == other[$0] && one.isRepeated($0) == other.isRepeated($0) }
}

/// Looks at the bytes of a head that was taken, with nothing but the grammar of RFC 9112 in mind.
private func checkLines(_ request: HTTPRequest, _ start: Int, _ end: Int) {
  let head = request.bytes[request.headSlice.range]
  hold(
    head.endIndex == end && (head.startIndex == start || head.startIndex == start + 2),
    "it is all of the head")
  hold(end - start <= limits.headBytes, "it is within the limit")
  var lines: [ArraySlice<UInt8>] = []
  var rest = head
  while let lineEnd = rest.firstIndex(of: 0x0d) {
    lines.append(rest[..<lineEnd])
    hold(rest[lineEnd...].starts(with: [0x0d, 0x0a]), "no bare CR")
    rest = rest[(lineEnd + 2)...]
  }
  hold(rest.isEmpty && lines.last?.isEmpty == true, "it ends with an empty line")
  hold(lines.dropLast().allSatisfy { !$0.isEmpty }, "and with the first one")
  for byte in lines.joined() { hold(byte >= 0x20 && byte != 0x7f || byte == 0x09, "no control character") }

  let words = lines[0].split(separator: 0x20, omittingEmptySubsequences: false)
  hold(words.count == 3 && words.allSatisfy { !$0.isEmpty }, "three words make a request line")
  hold(String(decoding: words[0], as: UTF8.self) == request.method.text, "the first is the method")
  hold(words[1].count <= limits.targetBytes && words[1].allSatisfy { $0 < 0x7f }, "the second is the target")
  hold(words[2].starts(with: Array("HTTP/1.".utf8)) && words[2].count == 8, "the third is the version")

  var counts: [String: Int] = [:]
  let fields = lines.dropFirst().dropLast()
  hold(fields.count <= limits.fieldCount, "there are no more fields than may be")
  for line in fields {
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    let separators = Set("\"(),/:;<=>?@[\\]{} \t".utf8)
    hold(!name.isEmpty && name.count < line.count, "each line has a name and a colon")
    hold(name.allSatisfy { $0 < 0x7f && !separators.contains($0) }, "each name is a token")
    counts[String(decoding: name, as: UTF8.self).lowercased(), default: 0] += 1
  }
  hold(counts["host"] == 1 || counts["host"] == nil && request.version == .http10, "one Host, from 1.1 on")
  hold(counts["content-length", default: 0] <= 1, "one length at most")
  hold((counts["transfer-encoding"] != nil) == (request.body == .chunked), "a coding is chunked")
  hold(request.body != .chunked || counts["content-length"] == nil, "never both framings")
  for field in KnownField.allCases {
    let count = counts[field.name, default: 0]
    hold(
      request.has(field) == (count > 0) && request.isRepeated(field) == (count > 1), "known fields are found")
    hold(request.values(of: field.name).count == count, "all their lines, too")
  }
}

/// Whatever a handler asks of a request has an answer.
private func checkMeaning(_ request: HTTPRequest) {
  if request.body == .none { hold(!request.expectsContinue, "nothing to continue with") }
  hold(
    request.host.isEmpty == (request.version == .http10 && !request.has(.host) && request.hostSlice.isAbsent),
    "a host")
  hold(request.path.first == "/" || request.path == "*" && request.method == .options, "the path is one")
  hold(
    request.queryString != nil || request.query?.utf8.contains(UInt8(ascii: "%")) == true,
    "a query is readable")
  if let segments = request.pathSegments?.segments {
    hold(!segments.isEmpty && !segments.contains("..") && !segments.contains("."), "no segment climbs")
  }
  hold((1...64).contains(request.id.utf8.count), "it has an id")
  if case .bearer(let token) = request.authorization { hold(!token.isEmpty, "a token is something") }
  _ = request.contentType
  if case .ranges(let ranges) = request.rangeSelection(size: 1000) {
    hold(
      request.has(.range) && ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= 1000 }, "ranges fit")
  }
  let verdict = Preconditions.evaluate(
    request, etag: EntityTag("a"), lastModified: 784_111_777, isDateStrong: true)
  let conditions: [KnownField] = [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince]
  if !conditions.contains(where: request.has), !request.has(.ifRange) {
    hold(verdict == .proceed(rangeAllowed: request.method == .get), "no condition, no refusal")
  }
  if verdict == .notModified { hold(request.method == .get || request.method == .head, "304 is for reading") }
}

/// The same bytes elsewhere in a buffer are the same request, and so is a copy of it, and one read over another.
private func checkMoved(_ request: HTTPRequest, _ head: [UInt8]) {
  let padding = Array("GET /earlier HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
  let bytes = padding + head + padding
  var parser = RequestParser(limits: limits)
  guard case .request(let other, let end) = parser.parse(bytes, in: padding.count..<bytes.count) else {
    return hold(false, "a head is one anywhere")
  }
  hold(end == padding.count + head.count && isSame(request, other), "a head is the same anywhere")
  hold(isSame(request.detached(), other), "a copy is the same")

  var used = HTTPRequest()
  _ = parser.parse(usedHead, in: 0..<usedHead.count, into: &used)
  guard case .complete(head.count) = parser.parse(head, in: 0..<head.count, into: &used) else {
    return hold(false, "a head is one in a used request")
  }
  hold(isSame(used, other) && isSame(used.detached(), other), "nothing is left of the request before")
}
