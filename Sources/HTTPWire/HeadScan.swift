/// One pass over a request head: from bytes to the places of an `HTTPRequest`.
struct HeadScan {
  enum Stop: Error {
    /// The bytes end before the head does.
    case needsMore
    case refused(HTTPRefusal)
  }

  var request: HTTPRequest
  /// The next byte to read.
  private var position: Int
  /// Where reading stops: the bytes' end, or the head's limit.
  private let end: Int
  private let isCutByLimit: Bool
  private let limits: HTTPLimits
  private var fieldCount = 0
  private var framing = FramingFields()

  init(_ bytes: [UInt8], _ range: Range<Int>, _ limits: HTTPLimits) {
    request = HTTPRequest(bytes: bytes)
    position = range.lowerBound
    isCutByLimit = range.count > limits.headBytes
    end = isCutByLimit ? range.lowerBound + limits.headBytes : range.upperBound
    self.limits = limits
  }

  /// Reads the head and returns the index after it.
  mutating func run(_ bytes: Span<UInt8>) throws(Stop) -> Int {
    // RFC 9112 §2.2: an empty line before the request line, left behind by old clients, is ignored; once.
    if try byte(bytes) == 0x0d { try lineEnd(bytes) }
    let start = position
    try requestLine(bytes)
    let fieldsStart = position
    while try byte(bytes) != 0x0d { try fieldLine(bytes) }
    request.fieldsSlice = .init(start: fieldsStart, count: position - fieldsStart)
    try lineEnd(bytes)
    request.headSlice = .init(start: start, count: position - start)
    do throws(HTTPRefusal) { try framing.settle(&request) } catch { throw .refused(error) }
    return position
  }

  // MARK: Bytes

  @inline(__always)
  private func byte(_ bytes: Span<UInt8>) throws(Stop) -> UInt8 {
    guard position < end else { throw starved }
    return bytes[position]
  }

  private var starved: Stop {
    isCutByLimit
      ? .refused(HTTPRefusal(.headTooLarge, "The request head is over \(limits.headBytes) bytes."))
      : .needsMore
  }

  private func bad(_ detail: String) -> Stop { .refused(HTTPRefusal(.badRequest, detail)) }

  /// RFC 9112 §2.2: only CRLF ends a line here; a bare CR or LF is what request smuggling is made of.
  @inline(__always)
  private mutating func lineEnd(_ bytes: Span<UInt8>) throws(Stop) {
    guard try byte(bytes) == 0x0d else { throw bad("A line must end with CR LF.") }
    position += 1
    guard try byte(bytes) == 0x0a else { throw bad("A line must end with CR LF.") }
    position += 1
  }

  // MARK: Request line

  /// RFC 9112 §3: request-line = method SP request-target SP HTTP-version.
  private mutating func requestLine(_ bytes: Span<UInt8>) throws(Stop) {
    let methodStart = position
    while try byte(bytes).isTokenCharacter {
      position += 1
      // RFC 9112 §3: a method longer than any that is known here is 501.
      guard position - methodStart <= 64 else {
        throw .refused(HTTPRefusal(.notImplemented, "No method is that long."))
      }
    }
    let methodRange = methodStart..<position
    guard !methodRange.isEmpty, try byte(bytes) == 0x20 else { throw bad("The request line has no method.") }
    request.method = HTTPMethod(bytes, in: methodRange)
    position += 1

    let targetStart = position
    let targetLimit = targetStart + limits.targetBytes
    var mark = -1
    while true {
      let byte = try byte(bytes)
      guard byte.isTargetCharacter else { break }
      guard position < targetLimit else {
        throw .refused(HTTPRefusal(.uriTooLong, "The request target is over \(limits.targetBytes) bytes."))
      }
      if byte == UInt8(ascii: "?"), mark < 0 { mark = position }
      position += 1
    }
    let target = targetStart..<position
    guard !target.isEmpty, try byte(bytes) == 0x20 else {
      throw bad("The request line is not a method, a target and a version with single spaces between them.")
    }
    let isPlain = bytes[targetStart] == UInt8(ascii: "/") && !request.method.isConnect
    if isPlain {
      request.place(target: target, pathEnd: mark < 0 ? target.upperBound : mark)
    } else if !request.placeUnusual(target: target, bytes) {
      throw bad("The request target has none of the forms of RFC 9112 §3.2.")
    }
    position += 1
    try versionToken(bytes)
    try lineEnd(bytes)
  }

  /// RFC 9112 §2.3: HTTP-version = "HTTP/" DIGIT "." DIGIT, case-sensitive.
  private mutating func versionToken(_ bytes: Span<UInt8>) throws(Stop) {
    for expected: UInt8 in [0x48, 0x54, 0x54, 0x50, 0x2f] {
      guard try byte(bytes) == expected else { throw bad("The request line has no HTTP version.") }
      position += 1
    }
    let major = try byte(bytes)
    position += 1
    guard major.isDigit, try byte(bytes) == UInt8(ascii: ".") else {
      throw bad("The HTTP version is unreadable.")
    }
    position += 1
    let minor = try byte(bytes)
    position += 1
    guard minor.isDigit else { throw bad("The HTTP version is unreadable.") }
    guard try byte(bytes) == 0x0d else { throw bad("Something follows the HTTP version.") }
    guard major == UInt8(ascii: "1") else {
      throw .refused(HTTPRefusal(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here."))
    }
    // RFC 9110 §6.2: a higher minor version is answered as the highest one known.
    request.version = minor == UInt8(ascii: "0") ? .http10 : .http11
  }

  // MARK: Field lines

  /// RFC 9112 §5: field-line = field-name ":" OWS field-value OWS.
  private mutating func fieldLine(_ bytes: Span<UInt8>) throws(Stop) {
    fieldCount += 1
    guard fieldCount <= limits.fieldCount else {
      throw .refused(HTTPRefusal(.headTooLarge, "The request has over \(limits.fieldCount) fields."))
    }
    let nameStart = position
    while try byte(bytes).isTokenCharacter { position += 1 }
    let name = nameStart..<position
    // RFC 9112 §5.1, §5.2: no white space before the colon, and no line that continues another.
    guard !name.isEmpty, bytes[position] == UInt8(ascii: ":") else {
      throw bad(
        bytes[position].isBlank
          ? "White space stands before a field's name or colon."
          : "A field line has no proper name and colon.")
    }
    position += 1
    while try byte(bytes).isBlank { position += 1 }
    let valueStart = position
    while try byte(bytes).isFieldValueCharacter { position += 1 }
    var valueEnd = position
    guard bytes[position] == 0x0d else { throw bad("A control character stands in a field value.") }
    while valueEnd > valueStart, bytes[valueEnd - 1].isBlank { valueEnd -= 1 }
    try lineEnd(bytes)

    guard let field = KnownField(bytes, in: name) else { return }
    let isFirst = request.note(field, at: valueStart..<valueEnd)
    switch field {
    case .host, .connection, .contentLength, .transferEncoding, .expect:
      do throws(HTTPRefusal) {
        try framing.read(field, bytes, in: valueStart..<valueEnd, isFirst: isFirst)
      } catch { throw .refused(error) }
    default: break
    }
  }
}
