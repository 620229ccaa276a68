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
    var line: [UInt8] = []
    IdentifierSource.append(number, to: &line)
    #expect(line == Array(digits.utf8))
  }
}
