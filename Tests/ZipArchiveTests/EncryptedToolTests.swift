import Foundation
import Platform
import TestSupport
import Testing
import ZipArchive

/// Whether a program can be run here: tests that need it are skipped, and say so, where it cannot.
private func isThere(_ program: String) -> Bool {
  ((try? run("sh", ["-c", "command -v \(program) >/dev/null"])) ?? nil)?.status == 0
}

/// What other programs encrypt is opened, and they open what is encrypted here.
@Suite struct EncryptedToolTests {
  private static let content: [String: [UInt8]] = [
    "index.html": Array("<h1>hi</h1>".utf8),
    "js/main.js": Array(String(repeating: "console.log('hello');\n", count: 500).utf8),
    "img/noise.bin": (0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 1_103_515_245 &+ 12_345) >> 16) },
    "img/empty.txt": [],
  ]

  private func pack(_ program: String, _ arguments: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, bytes) in Self.content {
      let path = "\(folder.path)/in/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    let done = try #require(try run(program, arguments, in: folder.path + "/in"))
    #expect(done.status == 0, "\(done.output)")
    return folder
  }

  private func check(_ folder: TemporaryFolder, cipher: String) throws {
    let file = try File(path: folder.path + "/out.zip", mode: .read)
    let reader = try PackageReader(file: file, options: .standard)
    #expect(reader.plan.isAccepted, "\(reader.plan.findings)")
    let encrypted = reader.plan.findings.filter { $0.rule == .encrypted }
    #expect(!encrypted.isEmpty && encrypted.allSatisfy { $0.detail.hasPrefix(cipher) }, "\(encrypted)")
    #expect(try !reader.isRight(password: Password("Secret")))
    try reader.unpack(
      into: try Directory(creating: folder.path + "/out"), volume: SystemVolume(), options: .quick,
      password: Password("pass word"))
    #expect(try tree(folder.path + "/out").filter { !$0.key.hasSuffix("/") } == Self.content)
  }

  @Test(
    .enabled(if: isThere("7z"), "7z is not here; scripts/setup.sh installs it"),
    arguments: [
      ("ZipCrypto", "ZipCrypto"), ("AES128", "AES-128"), ("AES192", "AES-192"), ("AES256", "AES-256"),
    ],
    ["-mx=0", "-mx=9"])
  func opensWhat7zEncrypts(cipher: (flag: String, name: String), level: String) throws {
    let folder = try pack(
      "7z", ["a", "-tzip", "-bd", "-ppass word", "-mem=\(cipher.flag)", level, "../out.zip", "."])
    try check(folder, cipher: cipher.name)
  }

  /// libarchive streams, so descriptors follow, and takes AE-2 for small files and AE-1 for others.
  @Test(
    .enabled(if: isThere("bsdtar"), "bsdtar is not here; scripts/setup.sh installs it"),
    arguments: [("zipcrypt", "ZipCrypto"), ("aes128", "AES-128"), ("aes256", "AES-256")],
    ["deflate", "store"])
  func opensWhatLibarchiveEncrypts(cipher: (flag: String, name: String), method: String) throws {
    let folder = try pack(
      "bsdtar",
      [
        "-c", "--format", "zip", "--options", "zip:encryption=\(cipher.flag),zip:compression=\(method)",
        "--passphrase", "pass word", "-f", "../out.zip", "index.html", "js", "img",
      ])
    try check(folder, cipher: cipher.name)
  }

  @Test(
    .enabled(if: isThere("zip"), "zip is not here; scripts/setup.sh installs it"),
    arguments: ["-9", "-0", "-fd"])
  func opensWhatInfoZIPEncrypts(flag: String) throws {
    try check(try pack("zip", ["-qr", flag, "-P", "pass word", "../out.zip", "."]), cipher: "ZipCrypto")
  }

  @Test(.enabled(if: isThere("7z"), "7z is not here; scripts/setup.sh installs it"))
  func refusesEncryptedLZMAByName() throws {
    let folder = try pack(
      "7z", ["a", "-tzip", "-bd", "-psecret", "-mem=AES256", "-mm=LZMA", "../out.zip", "."])
    let judged = try judge(file: folder.path + "/out.zip")
    #expect(judged.errors == ["unsupported-method"])
    #expect(judged.detail(of: .unsupportedMethod)?.hasPrefix("LZMA") == true)
  }

  private func encryptedHere(_ cipher: TestCipher, _ descriptor: ZipEntry.Descriptor) throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    let entries = Self.content.sorted { $0.key < $1.key }.map { name, bytes in
      (name.hasSuffix("bin") ? ZipEntry.stored(name, FileContent(bytes)) : ZipEntry(name, FileContent(bytes)))
        .with { ($0.descriptor, $0.time) = (descriptor, 0x6B21) }.encrypted(cipher, password: "secret")
    }
    _ = try folder.write(ZipBuilder(entries).build(), as: "a.zip")
    _ = try Directory(creating: folder.path + "/out")
    return folder
  }

  private func extract(_ folder: TemporaryFolder, _ program: String, _ arguments: [String]) throws {
    let done = try #require(try run(program, arguments, in: folder.path + "/out"))
    #expect(done.status == 0, "\(done.output)")
    #expect(try tree(folder.path + "/out").filter { !$0.key.hasSuffix("/") } == Self.content)
  }

  @Test(
    .enabled(if: isThere("7z"), "7z is not here; scripts/setup.sh installs it"), arguments: TestCipher.all,
    [ZipEntry.Descriptor.none, .withSignature])
  func opensIn7zWhatIsEncryptedHere(cipher: TestCipher, descriptor: ZipEntry.Descriptor) throws {
    try extract(try encryptedHere(cipher, descriptor), "7z", ["x", "-bd", "-psecret", "../a.zip"])
  }

  @Test(
    .enabled(if: isThere("bsdtar"), "bsdtar is not here; scripts/setup.sh installs it"),
    arguments: TestCipher.all)
  func opensInBsdtarWhatIsEncryptedHere(cipher: TestCipher) throws {
    try extract(
      try encryptedHere(cipher, .none), "bsdtar", ["-x", "--passphrase", "secret", "-f", "../a.zip"])
  }

  @Test(
    .enabled(
      if: isThere("unzip") && isThere("python3"),
      "unzip or python3 is not here; scripts/setup.sh installs them"),
    arguments: [ZipEntry.Descriptor.none, .withSignature])
  func opensInUnzipAndPythonWhatIsEncryptedHere(descriptor: ZipEntry.Descriptor) throws {
    let folder = try encryptedHere(.zipCrypto, descriptor)
    try extract(folder, "unzip", ["-qq", "-P", "secret", "../a.zip"])
    let program = "import zipfile; zipfile.ZipFile('../a.zip').extractall('.', pwd=b'secret')"
    try extract(folder, "python3", ["-c", program])
  }
}
