import HTTPWire
import Testing

/// What the parser made of some bytes, in a form that can be compared.
enum Probe: Equatable, CustomStringConvertible {
  case needsMore
  case request(HTTPRequest, end: Int)
  case refused(Int)

  init(_ outcome: RequestParser.Outcome) {
    switch outcome {
    case .needsMore: self = .needsMore
    case .request(let request, let end): self = .request(request, end: end)
    case .refused(let refusal): self = .refused(refusal.status.code)
    }
  }

  var description: String {
    switch self {
    case .needsMore: "needs more"
    case .request(let request, let end): "\(request.method.text) \(request.target), ends at \(end)"
    case .refused(let status): "refused with \(status)"
    }
  }

  static func == (left: Probe, right: Probe) -> Bool {
    switch (left, right) {
    case (.needsMore, .needsMore): true
    case (.refused(let one), .refused(let other)): one == other
    case (.request(let one, let end), .request(let other, let otherEnd)):
      end == otherEnd && one.method == other.method && one.version == other.version && one.body == other.body
        && one.isKeepAlive == other.isKeepAlive && one.expectsContinue == other.expectsContinue
        && one.target == other.target && one.path == other.path && one.query == other.query
        && one.host == other.host && one.headSlice == other.headSlice
        && KnownField.allCases.allSatisfy {
          one[$0] == other[$0] && one.isRepeated($0) == other.isRepeated($0)
        }
    default: false
    }
  }

  /// Parses the bytes at once, then byte after byte, then in two pieces at every cut, then into a request that was
  /// another one before, then at another place of a buffer, and expects the same each time.
  static func parse(
    _ text: String, limits: HTTPLimits = .standard, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Probe {
    parse(Array(text.utf8), limits: limits, sourceLocation: sourceLocation)
  }

  static func parse(
    _ bytes: [UInt8], limits: HTTPLimits = .standard, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Probe {
    var parser = RequestParser(limits: limits)
    let whole = Probe(parser.parse(bytes, in: 0..<bytes.count))

    var slow = RequestParser(limits: limits)
    var outcome = Probe.needsMore
    for count in 0...bytes.count where outcome == .needsMore {
      outcome = Probe(slow.parse(bytes, in: 0..<count))
    }
    #expect(outcome == whole, "byte by byte", sourceLocation: sourceLocation)

    for cut in 0..<min(bytes.count, 2000) {
      var parser = RequestParser(limits: limits)
      var outcome = Probe(parser.parse(bytes, in: 0..<cut))
      if outcome == .needsMore { outcome = Probe(parser.parse(bytes, in: 0..<bytes.count)) }
      #expect(outcome == whole, "cut at \(cut)", sourceLocation: sourceLocation)
    }

    if case .request(let request, let end) = whole {
      var reused = Self.fullRequest
      var parser = RequestParser(limits: limits)
      guard case .complete(end) = parser.parse(bytes, in: 0..<bytes.count, into: &reused) else {
        Issue.record("another verdict into a used request", sourceLocation: sourceLocation)
        return whole
      }
      #expect(
        Probe.request(reused, end: end) == .request(request, end: end), "into a used request",
        sourceLocation: sourceLocation)
      #expect(Probe.request(reused.detached(), end: 0) == .request(request.detached(), end: 0))
    }

    let padding = Array("GET /earlier HTTP/1.1\r\n".utf8)
    var moved = RequestParser(limits: limits)
    let end = padding.count + bytes.count
    let there = Probe(moved.parse(padding + bytes + [0], in: padding.count..<end))
    switch (there, whole) {
    case (.request(let one, let thereEnd), .request(let other, let end)):
      #expect(thereEnd == end + padding.count, sourceLocation: sourceLocation)
      #expect(
        Probe.request(one.detached(), end: 0) == .request(other.detached(), end: 0), "elsewhere in a buffer",
        sourceLocation: sourceLocation)
    default: #expect(there == whole, "elsewhere in a buffer", sourceLocation: sourceLocation)
    }
    return whole
  }

  /// A request with every known field, each twice where that may be.
  private static let fullRequest: HTTPRequest = {
    var text = "OPTIONS http://old.test/old?old HTTP/1.0\r\n"
    for field in KnownField.allCases {
      switch field {
      case .host: text += "Host: old\r\n"
      case .contentLength: text += "Content-Length: 77\r\n"
      case .transferEncoding: break
      case .expect: text += "Expect: 100-continue\r\n"
      case .connection: text += "Connection: keep-alive\r\n"
      default: text += "\(field.name): old\r\n\(field.name): old\r\n"
      }
    }
    let bytes = Array("\(text)\r\n".utf8)
    var request = HTTPRequest()
    var parser = RequestParser(limits: .standard)
    _ = parser.parse(bytes, in: 0..<bytes.count, into: &request)
    return request
  }()

  /// The request, or nil with a complaint.
  static func request(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> HTTPRequest
  {
    guard case .request(let request, _) = parse(text, sourceLocation: sourceLocation) else {
      throw NotARequest(outcome: parse(text))
    }
    return request
  }

  struct NotARequest: Error { let outcome: Probe }
}
