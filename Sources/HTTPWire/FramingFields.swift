/// The fields that say whose request this is, where its body ends and whether the connection lives on, gathered line by
/// line and judged together (RFC 9112 §3.2, §6, §9).
struct FramingFields {
  private var hasHost = false
  private var host = HTTPRequest.Slice()
  private var length: UInt64?
  private var hasCodings = false
  private var isChunked = false
  private var hasUnknownCoding = false
  private var closes = false
  private var keepsAlive = false
  private var expectsContinue = false

  private static func bad(_ detail: String) -> HTTPRefusal { HTTPRefusal(.badRequest, detail) }

  /// Takes in one line of host, connection, content-length, transfer-encoding or expect.
  mutating func read(
    _ field: KnownField, _ bytes: Span<UInt8>, in value: Range<Int>, isFirst: Bool
  ) throws(HTTPRefusal) {
    switch field {
    case .host:
      // RFC 9112 §3.2: more than one, or one with an invalid value, is 400.
      guard isFirst else { throw Self.bad("Host was sent more than once.") }
      guard Authority.isValid(bytes, in: value) else { throw Self.bad("Host is not a valid host and port.") }
      hasHost = true
      host = HTTPRequest.Slice(start: value.lowerBound, count: value.count)
    case .contentLength:
      // RFC 9112 §6.3 lets identical repetitions pass; nobody honest sends them, so here they do not.
      guard isFirst else { throw Self.bad("Content-Length was sent more than once.") }
      length = try Self.length(bytes, in: value)
    case .transferEncoding:
      hasCodings = true
      try readCodings(bytes, in: value)
    case .connection: readConnection(bytes, in: value)
    case .expect: try readExpectations(bytes, in: value)
    default: break
    }
  }

  /// Judges all of it once the head is complete.
  func settle(_ request: inout HTTPRequest) throws(HTTPRefusal) {
    // RFC 9112 §3.2: required in HTTP/1.1, even with a target that overrides it.
    guard hasHost || request.version == .http10 else { throw Self.bad("Host is missing.") }
    if request.hostSlice.isAbsent { request.hostSlice = host }
    // RFC 9110 §9.3.6: only a proxy tunnels. What a client sends behind it is not HTTP, so that nothing more is read.
    guard !request.method.isConnect else {
      throw HTTPRefusal(.notImplemented, "CONNECT is for proxies; this is none.")
    }

    if hasCodings {
      // RFC 9112 §6.1: a sender of HTTP/1.0 does not know it, and with a length beside it one of both is a lie.
      guard request.version == .http11 else { throw Self.bad("HTTP/1.0 has no Transfer-Encoding.") }
      guard length == nil else { throw Self.bad("Transfer-Encoding and Content-Length exclude each other.") }
      // RFC 9112 §6.3: if chunked is not the final coding, the body's end cannot be found.
      guard isChunked else { throw Self.bad("The final transfer coding of a request must be chunked.") }
      guard !hasUnknownCoding else {
        throw HTTPRefusal(.notImplemented, "The only transfer coding known here is chunked.")
      }
      request.body = .chunked
    } else if let length, length > 0 {
      request.body = .length(length)
    }
    request.isKeepAlive = !closes && (request.version == .http11 || keepsAlive)
    // RFC 9110 §10.1.1: ignored from HTTP/1.0, and pointless without a body.
    request.expectsContinue = expectsContinue && request.version == .http11 && request.body != .none
  }

  /// RFC 9110 §8.6: 1*DIGIT, and nothing else.
  private static func length(_ bytes: Span<UInt8>, in value: Range<Int>) throws(HTTPRefusal) -> UInt64 {
    guard !value.isEmpty else { throw bad("Content-Length is empty.") }
    var number: UInt64 = 0
    var isTooLarge = false
    for index in value {
      guard bytes[index].isDigit else { throw bad("Content-Length is not a number.") }
      let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[index] - 0x30))
      if overflowed || carried { isTooLarge = true }
      number = sum
    }
    guard !isTooLarge else { throw HTTPRefusal(.contentTooLarge, "Content-Length is beyond 64 bits.") }
    return number
  }

  /// RFC 9112 §6.1, §7: a list of codings. Empty members and parameters of `chunked` are refused: others read them
  /// differently, and what two parties read differently is a way to smuggle a request.
  private mutating func readCodings(_ bytes: Span<UInt8>, in value: Range<Int>) throws(HTTPRefusal) {
    var start = value.lowerBound
    while true {
      let comma = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<value.upperBound) ?? value.upperBound
      let member = bytes.trimmed(start..<comma)
      guard !isChunked else { throw Self.bad("chunked must be the final transfer coding, once.") }
      if bytes.matches("chunked", in: member) {
        isChunked = true
      } else {
        var nameEnd = member.lowerBound
        while nameEnd < member.upperBound, bytes[nameEnd].isTokenCharacter { nameEnd += 1 }
        let name = member.lowerBound..<nameEnd
        guard !name.isEmpty, !bytes.matches("chunked", in: name),
          nameEnd == member.upperBound || bytes[nameEnd] == UInt8(ascii: ";") || bytes[nameEnd].isBlank
        else { throw Self.bad("Transfer-Encoding is unreadable.") }
        hasUnknownCoding = true
      }
      guard comma < value.upperBound else { return }
      start = comma + 1
    }
  }

  /// RFC 9110 §10.1.1: a list, and `100-continue` is the one expectation there is.
  private mutating func readExpectations(_ bytes: Span<UInt8>, in value: Range<Int>) throws(HTTPRefusal) {
    var start = value.lowerBound
    while start <= value.upperBound {
      let comma = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<value.upperBound) ?? value.upperBound
      let member = bytes.trimmed(start..<comma)
      // RFC 9110 §5.6.1: empty members are skipped.
      if !member.isEmpty {
        guard bytes.matches("100-continue", in: member) else {
          throw HTTPRefusal(.expectationFailed, "The only expectation met here is 100-continue.")
        }
        expectsContinue = true
      }
      start = comma + 1
    }
  }

  /// RFC 9112 §9.3: only `close` and `keep-alive` mean something here.
  private mutating func readConnection(_ bytes: Span<UInt8>, in value: Range<Int>) {
    var start = value.lowerBound
    while start <= value.upperBound {
      let comma = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<value.upperBound) ?? value.upperBound
      let option = bytes.trimmed(start..<comma)
      if bytes.matches("close", in: option) { closes = true }
      if bytes.matches("keep-alive", in: option) { keepsAlive = true }
      start = comma + 1
    }
  }
}
