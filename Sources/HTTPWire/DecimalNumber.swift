/// Numbers as heads are written with them (RFC 9110 §8.6: 1*DIGIT).
public enum DecimalNumber {
  /// Appends a number's digits; a negative one counts as 0.
  public static func append(_ number: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(max(number, 0))
    var count = 1
    var limit: UInt64 = 10
    // The largest Int64 has 19 digits, and 10 to the 19th still fits.
    while count < 19, rest >= limit {
      count += 1
      limit *= 10
    }
    bytes.append(contentsOf: repeatElement(0x30, count: count))
    let end = bytes.count
    var target = bytes.mutableSpan
    for offset in 1...count {
      target[end - offset] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
