/// Numbers as heads are written with them (RFC 9110 §8.6: 1*DIGIT).
public enum DecimalNumber {
  /// Appends a number's digits; a negative one counts as 0.
  public static func append(_ number: Int64, to bytes: inout [UInt8]) {
    let (high, low) = UInt64(max(number, 0)).quotientAndRemainder(dividingBy: 100_000_000)
    guard high > 0 else { return append(digits(of: low), skippingZeros: true, to: &bytes) }
    append(Int64(high), to: &bytes)
    append(digits(of: low), skippingZeros: false, to: &bytes)
  }

  /// The last digit stays even if it is 0.
  private static func append(_ digits: UInt64, skippingZeros: Bool, to bytes: inout [UInt8]) {
    let zeros = skippingZeros ? min(digits.trailingZeroBitCount / 8, 7) : 0
    var text = (digits | 0x3030_3030_3030_3030) >> UInt64(8 * zeros)
    for _ in zeros..<8 {
      bytes.append(UInt8(truncatingIfNeeded: text))
      text >>= 8
    }
  }

  /// The eight digits of a number below 100,000,000 in a byte each, the first one lowest. It is halved three times, and
  /// all parts at once: a quotient stays where it was, its remainder goes behind it.
  private static func digits(of number: UInt64) -> UInt64 {
    let halves = number / 10_000 | (number % 10_000) << 32
    // As exact as a division for numbers this small.
    let hundreds = (halves &* 10_486) >> 20 & 0x0000_007f_0000_007f
    let quarters = hundreds | (halves &- hundreds &* 100) << 16
    let tens = (quarters &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (quarters &- tens &* 10) << 8
  }
}
