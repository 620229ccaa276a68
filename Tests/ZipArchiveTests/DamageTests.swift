import Foundation
import TestSupport
import Testing
import ZipArchive

@Suite struct DamageTests {
  private static func small() -> [UInt8] {
    ZipBuilder([ZipEntry("index.html", "aaaaaaaaaaaaaaaaaaaaaaaab"), .stored("b/c", "xyz")]).build()
  }

  private static func zip64() -> [UInt8] {
    var builder = ZipBuilder([
      ZipEntry("index.html", "<p>hello hello hello</p>").with { $0.isZip64 = true },
      .stored("ä/b", "xyz").with { ($0.isZip64, $0.extra) = (true, [0xFE, 0xCA, 1, 0, 7]) },
      Encrypted.aes("c"),
    ])
    builder.zip64End = true
    builder.comment = Array("the end".utf8)
    return builder.build()
  }

  private static func descriptors() -> [UInt8] {
    ZipBuilder([
      ZipEntry("index.html", "<p>hello hello hello</p>").with { $0.descriptor = .withSignature },
      ZipEntry("b", "hello hello").with { $0.descriptor = .withoutSignature },
      ZipEntry("ä/").with { ($0.comment, $0.descriptor) = (Array("folder".utf8), .wideWithSignature) },
      .stored("ä/c", "xyz").with { $0.descriptor = .wideWithoutSignature },
    ]).build()
  }

  /// By Info-ZIP's Zip 3.0, with its fields of times and owners: `index.html`, `js/`, `js/a.js`.
  private static func infoZip() -> [UInt8] {
    let text = """
      UEsDBBQAAAAIAAU5plhuVmNlEAAAABgAAAAKABwAaW5kZXguaHRtbFVUCQAD2oE4ZtqBOGZ1eAsAAQQAAAAABAAAAACzKbDL
      SM3JyVdAIm30C+wAUEsDBAoAAAAAAAU5plgAAAAAAAAAAAAAAAADABwAanMvVVQJAAPagThm2oE4ZnV4CwABBAAAAAAEAAAA
      AFBLAwQKAAAAAAAFOaZY1suyuAgAAAAIAAAABwAcAGpzL2EuanNVVAkAA9qBOGbagThmdXgLAAEEAAAAAAQAAAAAYWxlcnQo
      MSlQSwECHgMUAAAACAAFOaZYblZjZRAAAAAYAAAACgAYAAAAAAABAAAApIEAAAAAaW5kZXguaHRtbFVUBQAD2oE4ZnV4CwAB
      BAAAAAAEAAAAAFBLAQIeAwoAAAAAAAU5plgAAAAAAAAAAAAAAAADABgAAAAAAAAAEADtQVQAAABqcy9VVAUAA9qBOGZ1eAsA
      AQQAAAAABAAAAABQSwECHgMKAAAAAAAFOaZY1suyuAgAAAAIAAAABwAYAAAAAAABAAAApIGRAAAAanMvYS5qc1VUBQAD2oE4
      ZnV4CwABBAAAAAAEAAAAAFBLBQYAAAAAAwADAOYAAADaAAAAAAA=
      """
    return Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
  }

  @Test(arguments: [zip64(), descriptors(), infoZip(), small()]) func refusesAZipCutAtAnyByte(bytes: [UInt8])
    throws
  {
    let scratch = try ZipScratch()
    #expect(try scratch.judge(bytes).isAccepted)
    for length in 0..<bytes.count {
      let judged = try scratch.judge(Array(bytes.prefix(length)))
      #expect(
        judged.errors == [length < 2 ? "not-a-zip" : "truncated"], "\(length) bytes: \(judged.findings)")
    }
  }

  /// Times, versions and attributes are covered by no checksum: there a flip may pass, but names and content stay.
  @Test(arguments: [small(), infoZip()]) func refusesAnyFlippedBitOrKeepsTheContent(bytes: [UInt8]) throws {
    let scratch = try ZipScratch()
    let sound = try scratch.judge(bytes, digests: true)
    let (paths, digests) = (sound.paths, sound.contents.files.map(\.sha256))
    #expect(sound.isAccepted && digests.count == paths.count)
    for bit in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let judged = try scratch.judge(damaged, digests: true)
      guard judged.isAccepted else { continue }
      #expect(
        judged.paths == paths && judged.contents.files.map(\.sha256) == digests,
        "bit \(bit): \(judged.findings)")
    }
  }

  @Test func survivesRandomDamage() throws {
    var random = SplitMix(state: 42)
    let scratch = try ZipScratch()
    for bytes in [Self.small(), Self.zip64(), Self.descriptors(), Bomb.quoted(entries: 3, kernel: 100)] {
      for _ in 0..<1000 {
        var damaged = bytes
        for _ in 0...Int.random(in: 0..<4, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          damaged[place] =
            [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
            ?? 0
        }
        let judged = try scratch.judge(damaged, digests: true)
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
