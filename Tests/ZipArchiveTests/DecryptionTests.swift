import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct DecryptionTests {
  private static let secret = Password("geheim")
  private static let noise = FileContent((0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

  /// Entries of every kind, with their plain content.
  private func entries(_ cipher: TestCipher) -> [(entry: ZipEntry, content: [UInt8])] {
    let plain: [(ZipEntry, [UInt8])] = [
      (ZipEntry("index.html", "<h1>hello</h1>"), Array("<h1>hello</h1>".utf8)),
      (.stored("stored", "xyz"), Array("xyz".utf8)), (ZipEntry("empty/deflated", ""), []),
      (.stored("empty/stored", ""), []), (ZipEntry("noise", Self.noise), Self.noise.bytes),
      (.stored("noise.bin", Self.noise), Self.noise.bytes),
      (ZipEntry("text", .repeating(97, count: 300_000)), [UInt8](repeating: 97, count: 300_000)),
    ]
    return plain.map { ($0.0.encrypted(cipher, password: "geheim"), $0.1) }
  }

  private func reader(_ entries: [ZipEntry]) throws -> (reader: PackageReader, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let path = try folder.write(ZipBuilder(entries).build(), as: "package.zip")
    return (try PackageReader(file: try File(path: path, mode: .read), options: .standard), folder)
  }

  private func unpacked(_ reader: PackageReader, _ folder: TemporaryFolder, _ password: Password) throws
    -> [String: [UInt8]]
  {
    try reader.unpack(
      into: try Directory(creating: folder.path + "/out"), volume: SystemVolume(), options: .quick,
      password: password)
    return try tree(folder.path + "/out").filter { !$0.key.hasSuffix("/") }
  }

  @Test(arguments: TestCipher.all) func unpacksWhatItsPasswordOpens(cipher: TestCipher) throws {
    let entries = entries(cipher)
    let (reader, folder) = try reader(entries.map(\.entry))
    #expect(reader.plan.isAccepted && reader.isEncrypted)
    #expect(try reader.isRight(password: Self.secret))
    let files = try unpacked(reader, folder, Self.secret)
    for (entry, content) in entries {
      #expect(files[String(decoding: entry.name, as: UTF8.self)] == content, "\(entry.name)")
    }
    #expect(files.count == entries.count)
  }

  @Test(arguments: TestCipher.all) func digestsTheContentWhenThePasswordIsGiven(cipher: TestCipher) throws {
    let entries = entries(cipher)
    let (reader, _) = try reader(entries.map(\.entry))
    let sealed = try reader.verifyContents(digests: true)
    #expect(sealed.isAccepted && sealed.files.allSatisfy { $0.sha256 == nil && $0.md5 == nil })
    let open = try reader.verifyContents(digests: true, password: Self.secret)
    #expect(open.isAccepted, "\(open.findings)")
    #expect(open.files.map(\.sha256) == entries.map { Hash.digest(of: $0.content, .sha256) })
    #expect(open.files.map(\.md5) == entries.map { Hash.digest(of: $0.content, .md5) })
    #expect(open.files.map(\.compressedSHA256) == sealed.files.map(\.compressedSHA256))
    #expect(
      sealed.files.map(\.compressedSHA256) == entries.map { Hash.digest(of: $0.entry.payload, .sha256) })
  }

  @Test(arguments: TestCipher.all, ["", "Geheim", "geheim "])
  func tellsAWrongPasswordBeforeItWrites(cipher: TestCipher, password: String) throws {
    let (reader, folder) = try reader(entries(cipher).map(\.entry))
    #expect(try !reader.isRight(password: Password(password)))
    do {
      _ = try unpacked(reader, folder, Password(password))
      Issue.record("unpacked")
    } catch ZipError.wrongPassword(let paths) {
      #expect(!paths.isEmpty)
    }
    #expect(try tree(folder.path + "/out").isEmpty)
    #expect(throws: ZipError.self) {
      try reader.verifyContents(digests: false, password: Password(password))
    }
  }

  /// One in 256 passes the check byte of ZipCrypto: then the CRC decides.
  @Test func tellsAWrongPasswordThatTheCheckByteLetsPass() throws {
    let entry = ZipEntry("index.html", "<h1>hello hello</h1>").encrypted(.zipCrypto, password: "geheim")
    let (reader, folder) = try reader([entry])
    let header = Array(entry.payload.prefix(12))
    let passing = (0..<10_000).map(String.init).filter { password in
      var keys = ZipCryptoKeys(password: Array(password.utf8))
      return keys.check(of: header) == UInt8(entry.crc32 >> 24)
    }
    #expect(passing.count > 10)
    for password in passing { #expect(try !reader.isRight(password: Password(password)), "\(password)") }
    #expect(throws: ZipError.wrongPassword(paths: ["index.html"])) {
      try unpacked(reader, folder, Password(passing[0]))
    }
    #expect(try tree(folder.path + "/out").isEmpty)
  }

  @Test func namesTheFilesThatAnotherPasswordOpens() throws {
    let (reader, folder) = try reader([
      ZipEntry("index.html", "x"),
      ZipEntry("a", "aaaa").encrypted(.aes(bits: 256, version: 2), password: "geheim"),
      ZipEntry("b", "bbbb").encrypted(.aes(bits: 128, version: 1), password: "other"),
      ZipEntry("c", "cccc").encrypted(.aes(bits: 256, version: 2), password: "other"),
    ])
    #expect(throws: ZipError.wrongPassword(paths: ["b", "c"])) {
      try unpacked(reader, folder, Self.secret)
    }
    #expect(throws: ZipError.wrongPassword(paths: ["a"])) { try reader.unlocked(with: Password("other")) }
  }

  @Test func namesAHundredFilesAtMost() throws {
    let (reader, _) = try reader(
      [ZipEntry("index.html", "x")]
        + (0..<150).map { ZipEntry("f\($0)", "x").encrypted(.zipCrypto, password: "a") })
    do {
      _ = try reader.unlocked(with: Self.secret)
      Issue.record("opened")
    } catch {
      guard case .wrongPassword(let paths) = error else { throw error }
      #expect(paths.count == 100)
    }
  }

  @Test func opensAPackageOfWhichOnlyAPartIsEncrypted() throws {
    let (reader, folder) = try reader([
      ZipEntry("index.html", "plain"), ZipEntry("js/"),
      ZipEntry("js/a.js", "secret()").encrypted(.aes(bits: 192, version: 2), password: "geheim"),
    ])
    #expect(throws: ZipError.encrypted(paths: ["js/a.js"])) {
      try reader.unpack(
        into: try Directory(creating: folder.path + "/none"), volume: SystemVolume(), options: .quick)
    }
    let files = try unpacked(reader, folder, Self.secret)
    #expect(files == ["index.html": Array("plain".utf8), "js/a.js": Array("secret()".utf8)])
  }

  @Test func takesAnyPasswordWhereNothingIsEncrypted() throws {
    let (reader, folder) = try reader([ZipEntry("index.html", "plain")])
    #expect(!reader.isEncrypted)
    #expect(try reader.isRight(password: Self.secret))
    #expect(try unpacked(reader, folder, Self.secret) == ["index.html": Array("plain".utf8)])
  }

  @Test func doesNotAskJunkAndFoldersForTheirPassword() throws {
    let folder = ZipEntry.stored("js/", "").encrypted(.zipCrypto, password: "third")
    let (reader, place) = try reader([
      ZipEntry("index.html", "x").encrypted(.zipCrypto, password: "geheim"), folder,
      ZipEntry("__MACOSX/._index.html", "junk").encrypted(.zipCrypto, password: "other"),
    ])
    #expect(try reader.isRight(password: Self.secret))
    #expect(try unpacked(reader, place, Self.secret) == ["index.html": Array("x".utf8)])
    #expect(try reader.verifyContents(digests: true, password: Self.secret).files.count == 1)
  }

  @Test(
    arguments: [
      ZipEntry.Descriptor.withSignature, .withoutSignature, .wideWithSignature, .wideWithoutSignature,
    ], TestCipher.all)
  func opensStreamedEntries(descriptor: ZipEntry.Descriptor, cipher: TestCipher) throws {
    let entries = ["index.html", "b"].map { name in
      ZipEntry(name, "hello hello hello").with { ($0.descriptor, $0.time) = (descriptor, 0x9A21) }
        .encrypted(cipher, password: "geheim")
    }
    let (reader, folder) = try reader(entries)
    #expect(reader.plan.isAccepted, "\(reader.plan.findings)")
    #expect(try unpacked(reader, folder, Self.secret)["b"] == Array("hello hello hello".utf8))
    #expect(try !reader.isRight(password: Password("other")))
  }

  /// Some tools keep to the CRC although a descriptor follows.
  @Test func takesTheCRCForTheCheckByteOfAStreamedEntryToo() throws {
    let entry = ZipEntry("index.html", "hello").encrypted(.zipCrypto, password: "geheim").with {
      ($0.descriptor, $0.time) = (.withSignature, 0x9A21)
    }
    let (reader, folder) = try reader([entry])
    #expect(try unpacked(reader, folder, Self.secret) == ["index.html": Array("hello".utf8)])
  }

  /// Info-ZIP does so when it streams; what is not encrypted has no reason to.
  @Test func takesTheTimeWhereTheLocalHeaderOfAStreamedEntryHasNoCRC() throws {
    let plain = ZipEntry("index.html", "hello").with {
      ($0.descriptor, $0.time, $0.localCRC32) = (.withSignature, 0x9A21, 0x9A21_0000)
    }
    let (reader, folder) = try reader([plain.encrypted(.zipCrypto, password: "geheim")])
    #expect(try unpacked(reader, folder, Self.secret) == ["index.html": Array("hello".utf8)])
    #expect(try judge([plain]).errors == ["local-central-mismatch"])
    let other = plain.with { $0.localCRC32 = 0x9A22_0000 }
    let sealed = other.encrypted(.zipCrypto, password: "geheim")
    #expect(try judge([sealed]).errors == ["local-central-mismatch"])
  }

  @Test func opensManyEntries() throws {
    let (reader, folder) = try reader(
      (0..<3000).map {
        ZipEntry($0 == 0 ? "index.html" : "d\($0 % 7)/\($0)", "entry \($0)").encrypted(
          .zipCrypto, password: "geheim")
      })
    let files = try unpacked(reader, folder, Self.secret)
    #expect(files.count == 3000 && files["d5/2994"] == Array("entry 2994".utf8))
  }

  /// Their keys are made on several threads, in any order.
  @Test func opensManyEntriesOfStrongCiphers() throws {
    let ciphers = TestCipher.all
    let entries = (0..<200).map { number in
      ZipEntry(number == 0 ? "index.html" : "\(number)", "entry \(number)")
        .encrypted(ciphers[number % ciphers.count], password: "geheim")
    }
    let (reader, folder) = try reader(entries)
    let files = try unpacked(reader, folder, Self.secret)
    #expect(files.count == 200)
    for number in 1..<200 { #expect(files["\(number)"] == Array("entry \(number)".utf8)) }
  }

  @Test func opensWithASecondPasswordWhatTheFirstLeftClosed() throws {
    let (reader, _) = try reader([
      ZipEntry("index.html", "x"),
      ZipEntry("a", "aaaa").encrypted(.aes(bits: 256, version: 2), password: "geheim"),
      ZipEntry("b", "bbbb").encrypted(.zipCrypto, password: "geheim"),
    ])
    let open = try reader.unlocked(with: Self.secret)
    // What is open stays open, and the reader it came of stays closed.
    #expect(try open.unlocked(with: Password("other")).verifyContents(digests: true).files.count == 3)
    #expect(try reader.verifyContents(digests: true).files.count { $0.sha256 == nil } == 2)
  }

  @Test func stopsWhenAsked() throws {
    let (reader, _) = try reader(entries(.aes(bits: 256, version: 2)).map(\.entry))
    #expect(throws: ZipError.cancelled) {
      _ = try reader.unlocked(with: Self.secret, isCancelled: { true })
    }
  }

  @Test func readsNothingOfAPackageThatMustNotBeRead() throws {
    let folder = try TemporaryFolder()
    var builder = ZipBuilder([ZipEntry("index.html", "x").encrypted(.zipCrypto, password: "geheim")])
    builder.count = 2
    let reader = try PackageReader(
      file: try File(path: try folder.write(builder.build(), as: "a.zip"), mode: .read), options: .standard)
    #expect(throws: ZipError.self) { try reader.isRight(password: Self.secret) }
    #expect(try !reader.verifyContents(digests: true, password: Self.secret).isComplete)
  }
}

@Suite struct PasswordTests {
  @Test func isNeverShown() {
    let password = Password("geheim")
    var dumped = ""
    dump(password, to: &dumped)
    let shown = ["\(password)", password.debugDescription, String(reflecting: [password]), dumped]
    #expect(shown.allSatisfy { !$0.contains("geheim") && !$0.contains("103") })
    #expect(!ZipError.wrongPassword(paths: ["a"]).description.contains("geheim"))
  }

  @Test func isBytesOfUTF8() {
    #expect(Password("ä") == Password(bytes: [0xC3, 0xA4]))
    #expect(Password("ä") != Password("a\u{308}"))
    #expect(Password("").isEmpty && !Password(" ").isEmpty)
  }
}
