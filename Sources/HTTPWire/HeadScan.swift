/// One pass over a request head: from bytes to the places of an `HTTPRequest`.
///
/// It is small, and the request is passed beside it, because the compiler copies a struct to call its methods; loops
/// run over local variables for the same reason.
struct HeadScan {
  enum Stop: Error {
    /// The bytes end before the head does.
    case needsMore
    case refused(HTTPRefusal)
  }

  /// The next byte to read.
  private var position: Int
  /// Where reading stops: the bytes' end, or the head's limit.
  private let end: Int
  private let isCutByLimit: Bool
  private let limits: HTTPLimits
  private var fieldCount = 0
  private var framing = FramingFields()

  init(_ range: Range<Int>, _ limits: HTTPLimits) {
    position = range.lowerBound
    isCutByLimit = range.count > limits.headBytes
    end = isCutByLimit ? range.lowerBound + limits.headBytes : range.upperBound
    self.limits = limits
  }

  /// Reads the head and returns the index after it.
  mutating func run(_ buffer: Span<UInt8>, _ request: inout HTTPRequest) throws(Stop) -> Int {
    // Where reading stops is where the span ends: then one comparison with its count is all that each byte takes.
    let bytes = buffer.extracting(..<end)
    // RFC 9112 §2.2: an empty line before the request line, left behind by old clients, is ignored; once.
    if try byte(bytes) == 0x0d { try lineEnd(bytes) }
    let start = position
    try requestLine(bytes, &request)
    let fieldsStart = position
    while try byte(bytes) != 0x0d { try fieldLine(bytes, &request) }
    request.fieldsSlice = .init(start: fieldsStart, count: position - fieldsStart)
    try lineEnd(bytes)
    request.headSlice = .init(start: start, count: position - start)
    do throws(HTTPRefusal) { try framing.settle(&request) } catch { throw .refused(error) }
    return position
  }

  // MARK: Bytes

  @inline(__always)
  private func byte(_ bytes: Span<UInt8>) throws(Stop) -> UInt8 {
    guard position < bytes.count else { throw starved }
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
  private mutating func requestLine(_ bytes: Span<UInt8>, _ request: inout HTTPRequest) throws(Stop) {
    let (start, end) = (position, bytes.count)
    var index = bytes.endOfToken(from: start)
    // RFC 9112 §3: a method longer than any that is known here is 501.
    guard index - start <= 64 else { throw .refused(HTTPRefusal(.notImplemented, "No method is that long.")) }
    guard index < end else { throw starved }
    guard index > start, bytes[index] == 0x20 else { throw bad("The request line has no method.") }
    request.method = HTTPMethod(bytes, in: start..<index)
    index += 1

    let targetStart = index
    var mark = -1
    index = bytes.firstMark(from: index) { $0.notOfPaths }
    index = bytes.end(from: index) { $0.isTargetCharacter && $0 != UInt8(ascii: "?") }
    if index < end, bytes[index] == UInt8(ascii: "?") {
      mark = index
      index = bytes.firstMark(from: index) { $0.notOfTargets }
      index = bytes.end(from: index) { $0.isTargetCharacter }
    }
    guard index - targetStart <= limits.targetBytes else {
      throw .refused(HTTPRefusal(.uriTooLong, "The request target is over \(limits.targetBytes) bytes."))
    }
    guard index < end else { throw starved }
    let target = targetStart..<index
    guard !target.isEmpty, bytes[index] == 0x20 else {
      throw bad("The request line is not a method, a target and a version with single spaces between them.")
    }
    let isPlain = bytes[targetStart] == UInt8(ascii: "/") && !request.method.isConnect
    if isPlain {
      request.place(target: target, pathEnd: mark < 0 ? target.upperBound : mark)
    } else if !request.placeUnusual(target: target, bytes) {
      throw bad("The request target has none of the forms of RFC 9112 §3.2.")
    }
    position = index + 1
    request.version = try versionToken(bytes)
    try lineEnd(bytes)
  }

  /// RFC 9112 §2.3: HTTP-version = "HTTP/" DIGIT "." DIGIT, case-sensitive.
  private mutating func versionToken(_ bytes: Span<UInt8>) throws(Stop) -> HTTPRequest.Version {
    // As many of the eight bytes as there are, the first one highest, after their fixed values.
    let count = min(8, end - position)
    var word: UInt64 = 0
    if count == 8 {
      word = bytes.eight(at: position).bits.byteSwapped
      if word == 0x4854_5450_2f31_2e31 {
        position += 8
        return .http11
      }
    } else {
      for index in position..<position + count { word = word << 8 | UInt64(bytes[index]) }
    }
    let expected: UInt64 = 0x4854_5450_2f30_2e30
    for place in 0..<count {
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * (count - 1 - place)))
      let isDigitPlace = place == 5 || place == 7
      guard
        isDigitPlace ? byte.isDigit : byte == UInt8(truncatingIfNeeded: expected >> UInt64(8 * (7 - place)))
      else {
        throw bad("The request line has no readable HTTP version.")
      }
    }
    guard count == 8 else { throw starved }
    position += 8
    guard try byte(bytes) == 0x0d else { throw bad("Something follows the HTTP version.") }
    guard UInt8(truncatingIfNeeded: word >> 16) == UInt8(ascii: "1") else {
      throw .refused(HTTPRefusal(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here."))
    }
    // RFC 9110 §6.2: a higher minor version is answered as the highest one known.
    return UInt8(truncatingIfNeeded: word) == UInt8(ascii: "0") ? .http10 : .http11
  }

  // MARK: Field lines

  /// RFC 9112 §5: field-line = field-name ":" OWS field-value OWS.
  private mutating func fieldLine(_ bytes: Span<UInt8>, _ request: inout HTTPRequest) throws(Stop) {
    fieldCount += 1
    guard fieldCount <= limits.fieldCount else {
      throw .refused(HTTPRefusal(.headTooLarge, "The request has over \(limits.fieldCount) fields."))
    }
    let (start, end) = (position, bytes.count)
    var index = bytes.endOfToken(from: start)
    guard index < end else { throw starved }
    let name = start..<index
    // RFC 9112 §5.1, §5.2: no white space before the colon, and no line that continues another.
    guard !name.isEmpty, bytes[index] == UInt8(ascii: ":") else {
      throw bad(
        bytes[index].isBlank
          ? "White space stands before a field's name or colon."
          : "A field line has no proper name and colon.")
    }
    index += 1
    while index < end, bytes[index].isBlank { index += 1 }
    let valueStart = index
    while index < end, bytes[index].isFieldValueCharacter {
      // Nearly all of them are visible ASCII.
      index = bytes.firstMark(from: index + 1) { $0.outsideASCII(from: 0x20) }
    }
    guard index < end else { throw starved }
    guard bytes[index] == 0x0d else { throw bad("A control character stands in a field value.") }
    position = index
    try lineEnd(bytes)
    while index > valueStart, bytes[index - 1].isBlank { index -= 1 }
    let value = valueStart..<index

    guard let field = KnownField(bytes, in: name) else { return }
    let isFirst = request.note(field, at: value)
    switch field {
    case .host, .connection, .contentLength, .transferEncoding, .expect:
      do throws(HTTPRefusal) {
        try framing.read(field, bytes, in: value, isFirst: isFirst)
      } catch { throw .refused(error) }
    default: break
    }
  }
}
