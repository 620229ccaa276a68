import Testing

@testable import HTTPServer

@Suite struct OutputBufferTests {
  @Test func keepsWhatWasAddedWhileItGrows() {
    var buffer = OutputBuffer(capacity: 0)
    var expected: [UInt8] = []
    for length in 0..<200 {
      let bytes = Array(repeating: UInt8(length), count: length)
      buffer.append(bytes)
      expected += bytes
    }
    #expect(buffer.count == expected.count)
    #expect(buffer.copy(from: 0) == expected)
    #expect(buffer.copy(from: 19_000) == Array(expected[19_000...]))
    #expect(buffer.copy(from: buffer.count + 1) == [])
    buffer.removeAll()
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    #expect(buffer.copy(from: 0) == [])
  }

  @Test func writesAWordsLowestByteFirst() {
    var buffer = OutputBuffer(capacity: 3)
    buffer.append([0x41])
    buffer.append(0x0807_0605_0403_0201 as UInt64)
    #expect(buffer.copy(from: 0) == [0x41, 1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test(arguments: [
    (0, "0000000000000000"), (0x0123_4567_89ab_cdef, "0123456789abcdef"), (.max, "ffffffffffffffff"),
  ])
  func writesRequestIDsAsSixteenDigits(_ number: UInt64, _ digits: String) {
    var buffer = OutputBuffer(capacity: 16)
    IdentifierSource.append(number, to: &buffer)
    #expect(buffer.copy(from: 0) == Array(digits.utf8))
  }

  @Test(arguments: [
    (0, 1, "0"), (0, 6, "000000"), (9, 1, "9"), (10, 1, "10"), (213, 6, "000213"),
    (99_999_999, 1, "99999999"),
    (100_000_000, 1, "100000000"), (1_000_000_007, 12, "001000000007"), (.max, 1, "18446744073709551615"),
  ])
  func writesNumbersWithTheDigitsAskedFor(_ number: UInt64, _ width: Int, _ text: String) {
    var buffer = OutputBuffer(capacity: 1)
    buffer.append(decimal: number, width: width)
    #expect(buffer.copy(from: 0) == Array(text.utf8))
  }

  @Test(arguments: [
    (-1, "0.000000"), (213, "0.000213"), (1_000_000, "1.000000"), (123_456_789_012, "123456.789012"),
  ])
  func writesSecondsWithSixPlaces(_ microseconds: Int64, _ text: String) {
    var buffer = OutputBuffer(capacity: 1)
    buffer.append(seconds: microseconds)
    #expect(buffer.copy(from: 0) == Array(text.utf8))
  }

  @Test(arguments: [
    ("", ""), ("curl/8.5 (x)", "curl/8.5 (x)"), ("a\"b\\c", #"a\"b\\c"#), ("\u{1b}\n", #"\u001b\u000a"#),
    ("é~\u{7f}", #"\u00e9~\u007f"#),
  ])
  func escapesWhatAClientSent(_ text: String, _ expected: String) {
    var buffer = OutputBuffer(capacity: 1)
    buffer.append(escaped: Array(text.utf8).span)
    #expect(buffer.copy(from: 0) == Array(expected.utf8))
  }
}
