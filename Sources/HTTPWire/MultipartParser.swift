/// Reads a `multipart/form-data` body as it arrives, at any cut (RFC 7578, RFC 2046 §5.1).
///
/// It holds the head of one part at most; content is handed on as it comes. A line that begins like a delimiter but
/// goes on differently is content.
public struct MultipartParser: Sendable {
  /// What the next bytes mean.
  public enum Event: Hashable, Sendable {
    /// A part begins. A file name is only what the client calls it, never a path to use.
    case part(name: String, filename: String?, contentType: String?)
    /// Content of the part, never empty.
    case data([UInt8])
    /// The part is complete.
    case endOfPart
    /// The closing delimiter: all that follows is ignored.
    case end
  }

  private enum State {
    /// Before the first delimiter, or inside a part: looking for the next one.
    case content
    /// A delimiter's own bytes are complete; what follows decides whether it is one.
    case afterDelimiter, afterDash, padding, lineFeed
    case head
    case finished
  }

  private let limits: MultipartLimits
  /// CR LF `--` boundary. Its CR stands nowhere else in it, so that after a mismatch a match can only begin anew.
  private let delimiter: [UInt8]
  private var state = State.content
  /// How many bytes of the delimiter have matched, and how many of those were not really in the body: at its start and
  /// after a part's head the line break before the delimiter has been already.
  private var matched = 2
  private var assumed = 2
  private var head: [UInt8] = []
  private var isInPart = false
  private var partCount = 0
  /// The name of the current part if it is no file, and what may still come of its value.
  private var fieldName: String?
  private var fieldRoom = 0
  private var content: [UInt8] = []

  /// A body with this boundary of which nothing has come yet.
  public init(boundary: String, limits: MultipartLimits) throws(MultipartError) {
    // RFC 2046 §5.1.1: 1–70 characters of a small set, the last not a space.
    guard (1...70).contains(boundary.utf8.count), boundary.utf8.last != 0x20,
      boundary.utf8.allSatisfy(\.isBoundaryCharacter)
    else { throw .badBoundary }
    self.limits = limits
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// For a body of this type; `badBoundary` when it is not `multipart/form-data` with a boundary.
  public init(_ type: MediaType, limits: MultipartLimits) throws(MultipartError) {
    guard type.isType("multipart/form-data"), let boundary = type.parameters["boundary"] else {
      throw .badBoundary
    }
    try self.init(boundary: boundary, limits: limits)
  }

  /// Whether the closing delimiter has come.
  public var isFinished: Bool { state == .finished }

  /// To be called at the end of the body: throws `truncated` when the closing delimiter has not come.
  public func finish() throws(MultipartError) {
    guard isFinished else { throw .truncated }
  }

  /// What the next bytes of the body mean.
  public mutating func parse(_ input: [UInt8]) throws(MultipartError) -> [Event] { try parse(input.span) }

  /// What the next bytes of the body mean.
  public mutating func parse(_ input: Span<UInt8>) throws(MultipartError) -> [Event] {
    var events: [Event] = []
    var index = 0
    while index < input.count {
      switch state {
      case .content: index = try readContent(input, from: index)
      case .head: index = try readHead(input, from: index, &events)
      case .finished: return events
      case .afterDelimiter, .afterDash, .padding, .lineFeed:
        if try readDelimiterEnd(input[index], &events) { index += 1 }
      }
    }
    flush(&events)
    return events
  }

  // MARK: Content

  private mutating func readContent(_ input: Span<UInt8>, from start: Int) throws(MultipartError) -> Int {
    var index = start
    if matched == 0 {
      while index < input.count, input[index] != 0x0d { index += 1 }
      if isInPart, index > start {
        try takeRoom(for: index - start)
        content.append(addingCapacity: index - start) { target in
          for position in start..<index { target.append(input[position]) }
        }
      }
      guard index < input.count else { return index }
      matched = 1
      index += 1
    }
    while index < input.count, matched < delimiter.count {
      guard input[index] == delimiter[matched] else {
        try releaseMatch()
        return index
      }
      matched += 1
      index += 1
    }
    if matched == delimiter.count { state = .afterDelimiter }
    return index
  }

  /// What looked like a delimiter was content.
  private mutating func releaseMatch() throws(MultipartError) {
    if isInPart, matched > assumed {
      try takeRoom(for: matched - assumed)
      content += delimiter[assumed..<matched]
    }
    (matched, assumed) = (0, 0)
    state = .content
  }

  private mutating func takeRoom(for count: Int) throws(MultipartError) {
    guard let fieldName else { return }
    guard count <= fieldRoom else { throw .fieldTooLarge(name: fieldName, limit: limits.fieldBytes) }
    fieldRoom -= count
  }

  private mutating func flush(_ events: inout [Event]) {
    guard !content.isEmpty else { return }
    events.append(.data(content))
    content = []
  }

  // MARK: Delimiters

  /// RFC 2046 §5.1.1: after the boundary come white space and CR LF, or `--`. False when the byte is to be read again.
  private mutating func readDelimiterEnd(_ byte: UInt8, _ events: inout [Event]) throws(MultipartError)
    -> Bool
  {
    switch (state, byte) {
    case (.afterDelimiter, UInt8(ascii: "-")): state = .afterDash
    case (.afterDash, UInt8(ascii: "-")):
      endPart(&events)
      events.append(.end)
      state = .finished
    case (.afterDelimiter, _) where byte.isBlank, (.padding, _) where byte.isBlank: state = .padding
    case (.afterDelimiter, 0x0d), (.padding, 0x0d): state = .lineFeed
    case (.lineFeed, 0x0a):
      endPart(&events)
      partCount += 1
      guard partCount <= limits.parts else { throw .tooManyParts(limit: limits.parts) }
      state = .head
    case (.afterDelimiter, _):
      try releaseMatch()
      return false
    case (.afterDash, _):
      try releaseMatch()
      guard isInPart else { return false }
      try takeRoom(for: 1)
      content.append(UInt8(ascii: "-"))
      return false
    default: throw .malformed("Something follows a boundary on its line.")
    }
    return true
  }

  private mutating func endPart(_ events: inout [Event]) {
    guard isInPart else { return }
    flush(&events)
    events.append(.endOfPart)
    isInPart = false
  }

  // MARK: Part heads

  private mutating func readHead(
    _ input: Span<UInt8>, from start: Int, _ events: inout [Event]
  ) throws(MultipartError) -> Int {
    var index = start
    while index < input.count {
      let byte = input[index]
      index += 1
      guard head.count < limits.headBytes else { throw .headTooLarge(limit: limits.headBytes) }
      head.append(byte)
      let count = head.count
      guard byte == 0x0a else { continue }
      guard count >= 2, head[count - 2] == 0x0d else {
        throw .malformed("A line of a part's head has no CR LF.")
      }
      guard count == 2 || count >= 4 && head[count - 3] == 0x0a else { continue }
      try beginPart(MultipartHead(head), &events)
      return index
    }
    return index
  }

  private mutating func beginPart(_ partHead: MultipartHead, _ events: inout [Event]) {
    events.append(
      .part(name: partHead.name, filename: partHead.filename, contentType: partHead.contentType))
    fieldName = partHead.filename == nil ? partHead.name : nil
    fieldRoom = limits.fieldBytes
    head = []
    isInPart = true
    state = .content
    (matched, assumed) = (2, 2)
  }
}

extension UInt8 {
  /// RFC 2046 §5.1.1: bchars.
  fileprivate var isBoundaryCharacter: Bool {
    if isLetter || isDigit { return true }
    switch self {
    case UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: "_"),
      UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"),
      UInt8(ascii: "="), UInt8(ascii: "?"), 0x20:
      return true
    default: return false
    }
  }
}
