import Platform
import Testing

@Suite struct ByteRunTests {
  private let bytes = Array("GET /games/one/check HTTP/1.1".utf8)

  private func holds(_ word: String, at start: Int) -> Bool {
    let other = Array(word.utf8)
    return bytes.span.holds(other.span, at: start)
  }

  private func hash(_ text: String, _ range: Range<Int>, seed: UInt64) -> UInt64 {
    let bytes = Array(text.utf8)
    return bytes.span.quickHash(in: range, seed: seed)
  }

  @Test func findsAWordOnlyWhereItStands() {
    #expect(holds("/games/one/check", at: 4))
    #expect(!holds("/games/one/check", at: 3))
    #expect(!holds("/games/one/checK", at: 4))
  }

  @Test func holdsNothingBeyondItsEnd() {
    #expect(holds("1.1", at: bytes.count - 3))
    #expect(!holds("1.1", at: bytes.count - 2))
    #expect(!holds("1.1", at: bytes.count + 1))
    #expect(!holds("1.1", at: -1))
    #expect(holds("", at: bytes.count))
    let nothing: [UInt8] = []
    let isHeld = nothing.span.holds(nothing.span, at: 0)
    #expect(isHeld)
  }

  @Test func hashesTheRangeAloneAndGoesOnFromTheSeed() {
    let expected = hash("GET /games/one/check HTTP/1.1", 4..<20, seed: 7)
    #expect(hash("x/games/one/check", 1..<17, seed: 7) == expected)
    #expect(hash("x/games/one/check", 1..<17, seed: 8) != expected)
    let long = String(repeating: "x", count: 64)
    for count in 0...64 {
      #expect(hash(long, 0..<count, seed: 1) != hash(long, 0..<count, seed: 2), "\(count)")
    }
  }

  @Test func hashesDifferentBytesDifferently() {
    var seen: Set<UInt64> = []
    for number in 0..<20_000 {
      let path = "/games/game-\(number)/check"
      seen.insert(hash(path, 0..<path.utf8.count, seed: 0))
    }
    #expect(seen.count == 20_000)
    // Zeros at the end count: their number is part of it.
    let zeros = String(repeating: "\0", count: 64)
    #expect(Set((0...64).map { hash(zeros, 0..<$0, seed: 0) }).count == 65)
  }
}
