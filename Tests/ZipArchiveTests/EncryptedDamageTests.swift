import Platform
import TestSupport
import Testing
import ZipArchive

@Suite struct EncryptedDamageTests {
  private func outcome(_ bytes: [UInt8]) throws -> (error: ZipError?, files: [String: [UInt8]]) {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, as: "package.zip")
    let reader = try PackageReader(file: try File(path: path, mode: .read), options: .standard)
    let target = try Directory(creating: folder.path + "/out")
    do {
      try reader.unpack(into: target, volume: SystemVolume(), options: .quick, password: Password("geheim"))
      return (nil, try tree(folder.path + "/out"))
    } catch let error as ZipError {
      return (error, [:])
    }
  }

  /// Every bit of salt, verifier, ciphertext and code, AE-1 and AE-2, stored and deflated.
  @Test(arguments: [1, 2], [false, true]) func refusesAnyFlippedBitOfAnAESEntry(
    version: Int, isDeflated: Bool
  ) throws {
    let cipher = TestCipher.aes(bits: 128, version: version)
    let plain = isDeflated ? ZipEntry("b", "aaaaaaaaaaaaaaab") : .stored("b", "abc")
    let others = ["index.html", "c"].map { ZipEntry($0, "x").encrypted(cipher, password: "geheim") }
    let entry = plain.encrypted(cipher, password: "geheim")
    #expect(try outcome(ZipBuilder(others + [entry]).build()).error == nil)
    for bit in 0..<entry.payload.count * 8 {
      let damaged = entry.with { $0.payload[bit / 8] ^= 1 << UInt8(bit % 8) }
      switch try outcome(ZipBuilder(others + [damaged]).build()).error {
      case .wrongPassword(let paths): #expect(bit < 10 * 8 && paths == ["b"], "bit \(bit)")
      case .refused(let findings): #expect(findings.map(\.rule) == [.crcMismatch], "bit \(bit)")
      case let error: Issue.record("bit \(bit): \(String(describing: error))")
      }
    }
  }

  /// An entry alone could be one that a wrong password fits by chance: nothing of it is written either way.
  @Test(arguments: [TestCipher.zipCrypto, .aes(bits: 256, version: 2)])
  func writesNothingOfALoneDamagedEntry(cipher: TestCipher) throws {
    let entry = ZipEntry("index.html", "hello hello").encrypted(cipher, password: "geheim")
    for place in entry.payload.indices {
      let damaged = entry.with { $0.payload[place] ^= 4 }
      let outcome = try outcome(ZipBuilder([damaged]).build())
      // The header of ZipCrypto is no content: what is random in it may be anything, but all later bytes hang on it.
      #expect(outcome.error == .wrongPassword(paths: ["index.html"]), "byte \(place): \(outcome)")
    }
  }

  @Test func tellsDamageOfZipCryptoByItsCRC() throws {
    let others = (0..<4).map { ZipEntry("f\($0)", "xx").encrypted(.zipCrypto, password: "geheim") }
    let entry = ZipEntry.stored("index.html", .repeating(7, count: 100)).encrypted(
      .zipCrypto, password: "geheim")
    let damaged = entry.with { $0.payload[60] ^= 1 }
    guard case .refused(let findings) = try outcome(ZipBuilder(others + [damaged]).build()).error else {
      Issue.record("not refused")
      return
    }
    #expect(findings.map(\.rule) == [.crcMismatch] && findings.first?.path == "index.html")
  }

  @Test func refusesAnEncryptedZipCutAtAnyByte() throws {
    let bytes = ZipBuilder([
      ZipEntry("index.html", "hello").encrypted(.zipCrypto, password: "geheim"),
      ZipEntry("b", "hello").encrypted(.aes(bits: 256, version: 2), password: "geheim"),
    ]).build()
    #expect(try outcome(bytes).error == nil)
    for length in 0..<bytes.count {
      guard case .refused = try outcome(Array(bytes.prefix(length))).error else {
        Issue.record("\(length) bytes")
        continue
      }
    }
  }

  @Test func survivesRandomDamage() throws {
    var random = SplitMix(state: 7)
    let bytes = ZipBuilder([
      ZipEntry("index.html", "hello hello hello").with { $0.descriptor = .withSignature }
        .encrypted(.zipCrypto, password: "geheim"),
      ZipEntry("b", "hello").encrypted(.aes(bits: 256, version: 1), password: "geheim"),
      ZipEntry("c", "").encrypted(.aes(bits: 128, version: 2), password: "geheim"),
    ]).build()
    for _ in 0..<500 {
      var damaged = bytes
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let outcome = try outcome(damaged)
      guard outcome.error == nil else { continue }
      #expect(
        Set(outcome.files.values).isSubset(of: [Array("hello hello hello".utf8), Array("hello".utf8), []]))
    }
  }
}
