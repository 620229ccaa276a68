import Platform
import Testing

@Suite struct TextConverterTests {
  @Test func convertsBothWays() throws {
    let decoder = try TextConverter(from: "GB18030", to: "UTF-8")
    #expect(decoder.convert([0xD6, 0xD0, 0xCE, 0xC4]) == Array("中文".utf8))
    #expect(decoder.convert([]) == [])
    let encoder = try TextConverter(from: "UTF-8", to: "IBM437")
    #expect(encoder.convert(Array("Größe".utf8)) == [0x47, 0x72, 0x94, 0xE1, 0x65])
  }

  @Test func aFailureLeavesNothingBehind() throws {
    let decoder = try TextConverter(from: "CP932", to: "UTF-8")
    #expect(decoder.convert([0x94, 0x77, 0x8C]) == nil, "it ends within a character")
    #expect(decoder.convert([0xFF]) == nil, "no character begins so")
    #expect(decoder.convert([0x94, 0x77, 0x8C, 0x69]) == Array("背景".utf8))
    #expect(try TextConverter(from: "UTF-8", to: "IBM437").convert(Array("中".utf8)) == nil)
  }

  @Test func givesWhatTheConverterHoldsBack() throws {
    // Ê could be the first half of a pair in Hong Kong's supplement: it comes out when the text has ended.
    #expect(try TextConverter(from: "BIG5-HKSCS", to: "UTF-8").convert([0x88, 0x66]) == Array("Ê".utf8))
  }

  @Test func longTextHasRoom() throws {
    let katakana = [UInt8](repeating: 0xB1, count: 70_000)
    let text = try TextConverter(from: "CP932", to: "UTF-8").convert(katakana)
    #expect(text?.count == 3 * 70_000)
  }

  @Test func anEncodingThatIsNotThereIsTold() {
    #expect(throws: SystemError(errno: 22, operation: "iconv_open", path: "no-such to UTF-8")) {
      try TextConverter(from: "no-such", to: "UTF-8")
    }
  }
}
