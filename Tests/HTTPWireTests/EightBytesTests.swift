import Testing

@testable import HTTPWire

@Suite struct EightBytesTests {
  /// Each byte at each place among others that belong.
  private func firstMarks(_ filler: Character, _ marks: (EightBytes) -> UInt64) -> [UInt8: Set<Int>] {
    var found: [UInt8: Set<Int>] = [:]
    for byte in UInt8.min ... .max {
      for place in 0..<8 {
        var bytes = Array(repeating: filler.asciiValue ?? 0, count: 8)
        bytes[place] = byte
        let mark = marks(bytes.span.eight(at: 0))
        #expect(mark & 0x7f7f_7f7f_7f7f_7f7f == 0)
        found[byte, default: []].insert(mark == 0 ? 8 : mark.trailingZeroBitCount / 8 - place)
      }
    }
    return found
  }

  @Test(arguments: ["a", "Z", "-", "~", "!"] as [Character])
  func tellsTheFirstByteThatIsNoVisibleASCII(_ filler: Character) {
    for (byte, places) in firstMarks(filler, { $0.outsideASCII(from: 0x21) }) {
      #expect(places == [(0x21...0x7e).contains(byte) ? 8 : 0], "\(byte)")
    }
    for (byte, places) in firstMarks(filler, { $0.outsideASCII(from: 0x20) }) {
      #expect(places == [(0x20...0x7e).contains(byte) ? 8 : 0], "\(byte)")
    }
    for (byte, places) in firstMarks(filler, { $0.notOfTargets }) {
      #expect(places == [byte.isTargetCharacter ? 8 : 0], "\(byte)")
    }
    for (byte, places) in firstMarks(filler, { $0.notOfPaths }) {
      #expect(places == [byte.isTargetCharacter && byte != 0x3f ? 8 : 0], "\(byte)")
    }
  }

  @Test(arguments: ["a", "z", "A", "Z", "-"] as [Character])
  func tellsTheFirstByteThatIsUnusualInNamesAndHosts(_ filler: Character) {
    for (byte, places) in firstMarks(filler, { $0.notOfNames }) {
      #expect(places == [byte.isLetter || byte == 0x2d ? 8 : 0], "\(byte)")
    }
    for (byte, places) in firstMarks(filler, { $0.notOfHosts }) {
      #expect(places == [byte.isLetter || byte.isDigit || byte == 0x2d || byte == 0x2e ? 8 : 0], "\(byte)")
    }
  }

  @Test func marksNothingBehindAByteThatIsNotRight() {
    // A sum or difference that carries must not hide the first mark, nor make one before it.
    for pair in [(0xff, 0x61), (0x00, 0x61), (0x7f, 0x20), (0x0d, 0x21), (0x80, 0x7e)] as [(UInt8, UInt8)] {
      let bytes = [0x61, 0x61, pair.0, pair.1, 0x61, 0xff, 0x00, 0x61]
      #expect(bytes.span.eight(at: 0).outsideASCII(from: 0x20).trailingZeroBitCount / 8 == 2)
    }
  }

  @Test func searchStopsWhereLessThanEightBytesAreLeft() {
    let bytes = Array("aaaaaaaaaaaa:aaaaaaa:a".utf8)
    #expect(bytes.span.firstMark(from: 0) { $0.notOfNames } == 12)
    #expect(bytes.span.firstMark(from: 13) { $0.notOfNames } == 20)
    #expect(bytes.span.firstMark(from: 16) { $0.notOfNames } == 16)
    #expect(bytes.span.firstMark(from: 22) { $0.notOfNames } == 22)
    #expect(bytes.span.endOfToken(from: 13) == 20)
    #expect(Array("a_0'b~c!d#e".utf8).span.endOfToken(from: 0) == 11)
    #expect(Array("Sec-Fetch-1_2-Site: x".utf8).span.endOfToken(from: 0) == 18)
    #expect(Array(":".utf8).span.endOfToken(from: 0) == 0)
  }
}
