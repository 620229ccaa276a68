/// The character classes that HTTP's grammar is made of, as questions to a byte.
extension UInt8 {
  /// A `tchar` (RFC 9110 §5.6.2).
  @inline(__always)
  var isTokenCharacter: Bool {
    // Nearly all of them are letters and hyphens.
    if isLetter || self == UInt8(ascii: "-") { return true }
    // A bit for each of the ASCII characters 0–63 and 64–127.
    let low: UInt64 = 0x03ff_6cfa_0000_0000
    let high: UInt64 = 0x57ff_ffff_c7ff_fffe
    let bits = self < 64 ? low : high
    return self < 128 && bits >> UInt64(self & 63) & 1 == 1
  }

  /// What a field value may hold: visible characters, space, tab and obs-text (RFC 9110 §5.5).
  @inline(__always)
  var isFieldValueCharacter: Bool { self >= 0x20 && self != 0x7f || self == 0x09 }

  /// Visible ASCII but `#`: a fragment is never sent (RFC 9112 §3.2). RFC 3986 has none of `"<>\^`{|}` either, but the
  /// URL standard makes browsers send some of them as they are, and none can be taken for the target's end.
  @inline(__always)
  var isTargetCharacter: Bool { self &- 0x21 < 0x5e && self != 0x23 }

  /// Space or tab: optional white space (RFC 9110 §5.6.3).
  @inline(__always)
  var isBlank: Bool { self == 0x20 || self == 0x09 }

  @inline(__always)
  var isDigit: Bool { self &- 0x30 < 10 }

  @inline(__always)
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// The value of a hexadecimal digit of either case; nil for anything else.
  @inline(__always)
  var hexValue: UInt8? {
    if isDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// Lower case for an ASCII letter, everything else as it is.
  @inline(__always)
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span where Element == UInt8 {
  /// Whether a part is this word of ASCII, letters of either case being equal.
  func matches(_ word: String, in range: Range<Int>) -> Bool {
    let (part, other) = (extracting(range), word.utf8.span)
    guard part.count == other.count else { return false }
    for index in 0..<part.count where part[index].lowercased != other[index].lowercased { return false }
    return true
  }

  /// Whether the bytes from `start` on are exactly these.
  @inline(__always)
  func holds(_ other: Span<UInt8>, at start: Int) -> Bool {
    guard start >= 0, start <= count, other.count <= count - start else { return false }
    let part = extracting(start..<start + other.count)
    var index = 0
    while index <= part.count &- 8 {
      if part.eight(at: index).bits != other.eight(at: index).bits { return false }
      index += 8
    }
    while index < part.count {
      if part[index] != other[index] { return false }
      index += 1
    }
    return true
  }

  /// Where a run of bytes ends that starts at `start` and of which `belongs` is true; `count` when all of them do. Counted
  /// from the run's own beginning, so that the compiler sees that no place is outside and one comparison a byte suffices.
  @inline(__always)
  func end(from start: Int, while belongs: (UInt8) -> Bool) -> Int {
    let run = extracting(start...)
    var length = 0
    while length < run.count, belongs(run[length]) { length += 1 }
    return start + length
  }

  /// The part without the blanks around it.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start].isBlank { start += 1 }
    while start < end, self[end - 1].isBlank { end -= 1 }
    return start..<end
  }

  /// Where a byte first stands in a part.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    for index in range where self[index] == byte { return index }
    return nil
  }
}
