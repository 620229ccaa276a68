/// Takes the chunked coding off a request body as it arrives, at any cut (RFC 9112 §7.1).
///
/// Extensions and trailers are checked and dropped. Both are bounded, because they are bytes that nobody asked for.
public struct ChunkedBody: Sendable {
  /// Bytes of the extensions of one chunk.
  static let extensionLimit = 256
  /// Bytes of all trailer lines together.
  static let trailerLimit = 8 << 10
  /// Hexadecimal digits of a size, leading zeros included.
  static let digitLimit = 256
  /// Bytes around content beyond what chunks need, which is 16 for each and as much again as twice its content.
  static let excessLimit = 16 << 10

  private enum State {
    case firstDigit, digits
    case beforeExtension, extensionStart, extensionName, afterExtensionName
    case extensionValueStart, extensionToken, extensionQuoted, extensionEscaped, afterExtensionValue
    case sizeLineFeed
    case data, dataReturn, dataLineFeed
    case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
    case finished
  }

  private var state = State.firstDigit
  /// The size being read, then what is left of the chunk.
  private var size: UInt64 = 0
  private var digits = 0
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var excess = 0

  /// A body of which nothing has come yet.
  public init() {}

  /// Whether the last chunk, the trailers and the empty line after them have come.
  public var isFinished: Bool { state == .finished }

  /// Appends what `input` holds of the content to `output` and returns how many bytes of `input` belong to the body:
  /// all of them until `isFinished`, none behind its end. Throws a 400 for anything the grammar does not have; the
  /// connection must close then.
  public mutating func decode(_ input: Span<UInt8>, into output: inout [UInt8]) throws(HTTPRefusal) -> Int {
    var index = 0
    while index < input.count, state != .finished {
      if state == .data {
        let count = Int(min(size, UInt64(input.count - index)))
        output.append(addingCapacity: count) { target in
          for offset in index..<index + count { target.append(input[offset]) }
        }
        index += count
        size -= UInt64(count)
        if size == 0 { state = .dataReturn }
      } else {
        state = try next(input[index])
        index += 1
      }
    }
    return index
  }

  private static func bad(_ detail: String) -> HTTPRefusal { HTTPRefusal(.badRequest, detail) }

  private mutating func next(_ byte: UInt8) throws(HTTPRefusal) -> State {
    switch state {
    case .firstDigit, .digits: return try afterSize(byte)
    case .beforeExtension, .extensionStart, .extensionName, .afterExtensionName, .extensionValueStart,
      .extensionToken, .extensionQuoted, .extensionEscaped, .afterExtensionValue:
      extensionBytes += 1
      guard extensionBytes <= Self.extensionLimit else {
        throw Self.bad("A chunk's extensions are too long.")
      }
      return try afterExtensionByte(byte)
    case .sizeLineFeed:
      guard byte == 0x0a else { throw Self.bad("A chunk size must end with CR LF.") }
      // RFC 9112 §7.1.1: all extensions of a request together are to be limited, or tiny chunks would carry any number.
      let allowance = 16 + 2 * Int(min(size, UInt64(Self.excessLimit)))
      excess = max(excess + digits + extensionBytes - allowance, 0)
      guard excess <= Self.excessLimit else { throw Self.bad("The chunked body is mostly chunk extensions.") }
      // RFC 9112 §7.1: last-chunk = 1*("0").
      return size == 0 ? .trailerStart : .data
    case .dataReturn:
      guard byte == 0x0d else { throw Self.bad("A chunk is longer than its size.") }
      return .dataLineFeed
    case .dataLineFeed:
      guard byte == 0x0a else { throw Self.bad("A chunk must end with CR LF.") }
      (size, digits, extensionBytes) = (0, 0, 0)
      return .firstDigit
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed:
      return try afterTrailerByte(byte)
    case .lastLineFeed:
      guard byte == 0x0a else { throw Self.bad("The chunked body must end with CR LF.") }
      return .finished
    case .data, .finished: return state
    }
  }

  /// RFC 9112 §7.1: chunk-size = 1*HEXDIG; a recipient must anticipate large ones.
  private mutating func afterSize(_ byte: UInt8) throws(HTTPRefusal) -> State {
    if let digit = byte.hexValue {
      digits += 1
      let (product, overflowed) = size.multipliedReportingOverflow(by: 16)
      guard !overflowed else { throw Self.bad("A chunk size is beyond 64 bits.") }
      guard digits <= Self.digitLimit else { throw Self.bad("A chunk size has too many zeros.") }
      size = product | UInt64(digit)
      return .digits
    }
    guard state == .digits else { throw Self.bad("A chunk has no size.") }
    switch byte {
    case 0x0d: return .sizeLineFeed
    case UInt8(ascii: ";"): return .extensionStart
    case 0x20, 0x09: return .beforeExtension
    default: throw Self.bad("A chunk size is not a hexadecimal number.")
    }
  }

  /// RFC 9112 §7.1.1: *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ).
  private func afterExtensionByte(_ byte: UInt8) throws(HTTPRefusal) -> State {
    switch (state, byte) {
    case (.extensionQuoted, UInt8(ascii: "\\")): return .extensionEscaped
    case (.extensionQuoted, UInt8(ascii: "\"")): return .afterExtensionValue
    case (.extensionQuoted, _) where byte.isFieldValueCharacter: return .extensionQuoted
    case (.extensionEscaped, _) where byte.isFieldValueCharacter: return .extensionQuoted
    case (.extensionStart, _) where byte.isTokenCharacter: return .extensionName
    case (.extensionName, _) where byte.isTokenCharacter: return .extensionName
    case (.extensionValueStart, UInt8(ascii: "\"")): return .extensionQuoted
    case (.extensionValueStart, _) where byte.isTokenCharacter: return .extensionToken
    case (.extensionToken, _) where byte.isTokenCharacter: return .extensionToken
    case (.extensionStart, _) where byte.isBlank: return .extensionStart
    case (.extensionValueStart, _) where byte.isBlank: return .extensionValueStart
    case (.beforeExtension, _) where byte.isBlank: return .beforeExtension
    case (.extensionName, _) where byte.isBlank: return .afterExtensionName
    case (.afterExtensionName, _) where byte.isBlank: return .afterExtensionName
    // White space after a whole extension may only lead to another one.
    case (.extensionToken, _) where byte.isBlank: return .beforeExtension
    case (.afterExtensionValue, _) where byte.isBlank: return .beforeExtension
    case (.extensionName, UInt8(ascii: "=")), (.afterExtensionName, UInt8(ascii: "=")):
      return .extensionValueStart
    case (.beforeExtension, UInt8(ascii: ";")), (.extensionName, UInt8(ascii: ";")),
      (.afterExtensionName, UInt8(ascii: ";")), (.extensionToken, UInt8(ascii: ";")),
      (.afterExtensionValue, UInt8(ascii: ";")):
      return .extensionStart
    case (.extensionName, 0x0d), (.extensionToken, 0x0d), (.afterExtensionValue, 0x0d): return .sizeLineFeed
    default: throw Self.bad("A chunk extension is unreadable.")
    }
  }

  /// RFC 9112 §7.1.2: trailer-section = *( field-line CRLF ), here ignored.
  private mutating func afterTrailerByte(_ byte: UInt8) throws(HTTPRefusal) -> State {
    trailerBytes += 1
    guard trailerBytes <= Self.trailerLimit else { throw Self.bad("The trailers are too long.") }
    switch (state, byte) {
    case (.trailerStart, 0x0d): return .lastLineFeed
    case (.trailerStart, _) where byte.isTokenCharacter: return .trailerName
    case (.trailerName, _) where byte.isTokenCharacter: return .trailerName
    case (.trailerName, UInt8(ascii: ":")): return .trailerValue
    case (.trailerValue, 0x0d): return .trailerLineFeed
    case (.trailerValue, _) where byte.isFieldValueCharacter: return .trailerValue
    case (.trailerLineFeed, 0x0a): return .trailerStart
    default: throw Self.bad("A trailer is unreadable.")
    }
  }
}
