import Foundation
import TestSupport
import Testing
import ZipArchive

@Suite struct DamageTests {
  private static func small() -> [UInt8] {
    ZipBuilder([ZipEntry("index.html", "aaaaaaaaaaaaaaaaaaaaaaaab"), .stored("b/c", "xyz")]).build()
  }

  private static func rich() -> [UInt8] {
    var builder = ZipBuilder([
      ZipEntry("index.html", "<p>hello hello hello</p>").with { $0.descriptor = .withSignature },
      ZipEntry("ä/").with { $0.comment = Array("folder".utf8) },
      ZipEntry.stored("ä/b", "xyz").with { ($0.isZip64, $0.extra) = (true, [0xFE, 0xCA, 1, 0, 7]) },
      Encrypted.aes("c"),
    ])
    builder.zip64End = true
    builder.comment = Array("the end".utf8)
    return builder.build()
  }

  @Test(arguments: [small(), rich()]) func refusesAZipCutAtAnyByte(bytes: [UInt8]) throws {
    #expect(try judge(bytes).isAccepted)
    for length in 0..<bytes.count {
      let judged = try judge(Array(bytes.prefix(length)))
      #expect(
        judged.errors == [length < 2 ? "not-a-zip" : "truncated"], "\(length) bytes: \(judged.findings)")
    }
  }

  /// Names, times and comments are not covered by any checksum: with those, the flip may pass, but the content stays.
  @Test func refusesAnyFlippedBitOrKeepsTheContent() throws {
    let bytes = Self.small()
    let contents = Set(try judge(bytes).unpacked().filter { !$0.key.hasSuffix("/") }.values)
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let judged = try judge(damaged)
      guard judged.isAccepted else { continue }
      let files = try judged.unpacked().filter { !$0.key.hasSuffix("/") }
      #expect(Set(files.values) == contents, "bit \(bit): \(judged.findings)")
    }
  }

  @Test func survivesRandomDamage() throws {
    var random = SplitMix(state: 42)
    for bytes in [Self.small(), Self.rich(), Bomb.quoted(entries: 3, kernel: 100)] {
      for _ in 0..<1500 {
        var damaged = bytes
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          damaged[place] =
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
            ?? 0
        }
        let judged = try judge(damaged, digests: true)
        if judged.isAccepted, !judged.rules.contains("encrypted") { _ = try judged.unpacked() }
      }
    }
  }
}

/// A generator that gives the same numbers every time (Steele, Lea, Flood: splitmix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
