import HTTPWire
import Testing

@Suite struct DecimalNumberTests {
  @Test(arguments: [0, 1, 9, 10, 99, 100, 65_536, 999_999_999, 1_000_000_000, .max - 1, .max] as [Int64])
  func writesWhatTheStandardLibraryWrites(_ number: Int64) {
    var bytes = Array("Content-Length: ".utf8)
    DecimalNumber.append(number, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "Content-Length: \(number)")
  }

  @Test func takesWhatIsNegativeForNothing() {
    var bytes: [UInt8] = []
    DecimalNumber.append(-5, to: &bytes)
    #expect(bytes == [0x30])
  }

  @Test func writesEveryGroupOfFourDigits() {
    for number: Int64 in 0..<10_000 {
      for other in [number, number * 10_000, 99_990_000 + number, 100_000_000 * number + 9_999 - number] {
        var bytes: [UInt8] = []
        DecimalNumber.append(other, to: &bytes)
        if bytes != Array(String(other).utf8) { Issue.record("\(other)") }
      }
    }
  }
}
