internal import Platform

/// Text as lines of the access log have it.
extension OutputBuffer {
  /// Adds a text as it stands inside the quotes of a JSON string (see `LogText`).
  mutating func append(escaped text: Span<UInt8>) {
    guard !LogText.isPlain(text) else { return append(text) }
    var escaped: [UInt8] = []
    LogText.appendEscaped(text, to: &escaped)
    append(escaped)
  }

  /// Adds a number with at least `width` digits.
  mutating func append(decimal number: UInt64, width: Int = 1) {
    let eight: UInt64 = 100_000_000
    if number >= eight {
      append(decimal: number / eight, width: width - 8)
      return append(decimal: number % eight, width: 8)
    }
    // The digits from the last to the first, each pushing those before it up: the first ends up lowest.
    var (word, left, count) = (0x30 + number % 10, number / 10, 1)
    while left > 0 || count < width {
      word = word << 8 | 0x30 + left % 10
      left /= 10
      count += 1
    }
    append(word, count: count)
  }

  /// Adds a time with six places: `0.000213`.
  mutating func append(seconds microseconds: Int64) {
    let time = UInt64(max(0, microseconds))
    append(decimal: time / 1_000_000)
    append(byte: 0x2e)
    append(decimal: time % 1_000_000, width: 6)
  }
}
