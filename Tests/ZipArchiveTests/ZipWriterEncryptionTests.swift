import Foundation
import Platform
import Testing

@testable import ZipArchive

@Suite struct ZipWriterEncryptionTests {
  private static let content: [String: [UInt8]] = [
    "index.html": Array("<p>hello hello hello</p>".utf8),
    "noise.png": noise(400_000),
    "x": [7],
    "größe.txt": prose(9000),
  ]

  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  private func write(_ cipher: ZipWriterOptions.Cipher, dates: ZipWriterOptions.Dates = .fixed) throws {
    let options = ZipWriterOptions(dates: dates, password: Password("Geheim ü"), cipher: cipher)
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: options)
    for (name, bytes) in Self.content.sorted(by: { $0.key < $1.key }) where name != "größe.txt" {
      try zip.add(data: bytes, as: name, modifiedAt: 1_770_091_507)
    }
    try zip.add(data: [], as: "empty")
    try zip.addFolder("saves")
    try zip.openEntry("größe.txt", modifiedAt: 1_770_091_507)
    for start in stride(from: 0, to: prose(9000).count, by: 7919) {
      try zip.write(Array(prose(9000)[start..<min(prose(9000).count, start + 7919)]))
    }
    try zip.closeEntry()
    try zip.finish()
  }

  private func unpack(_ name: String, with password: String) throws -> [String: [UInt8]] {
    let reader = try PackageReader(
      file: try bench.directory.file(name, mode: .read), options: .standard)
    let out = try TemporaryFolder()
    try reader.unpack(
      into: try Directory(path: out.path), volume: SystemVolume(), options: .quick,
      password: Password(password))
    return try tree(out.path).filter { !$0.key.hasSuffix("/") && !$0.value.isEmpty }
  }

  @Test(arguments: [ZipWriterOptions.Cipher.aes128, .aes192, .aes256, .zipCrypto])
  func ourReaderOpensItWithThePasswordAlone(cipher: ZipWriterOptions.Cipher) throws {
    for dates in [ZipWriterOptions.Dates.fixed, .kept] {
      try write(cipher, dates: dates)
      let judged = try bench.judged("a.zip")
      #expect(judged.isAccepted)
      #expect(judged.rules == ["encrypted"], "\(judged.findings)")
      #expect(judged.plan.files.filter { !$0.isEncrypted }.map(\.path) == ["empty"])
      #expect(try unpack("a.zip", with: "Geheim ü") == Self.content)
      #expect(throws: ZipError.self) { try unpack("a.zip", with: "geheim ü") }
    }
  }

  @Test(arguments: [ZipWriterOptions.Cipher.aes128, .aes192, .aes256, .zipCrypto])
  func sevenZipAndBsdtarOpenIt(cipher: ZipWriterOptions.Cipher) throws {
    try write(cipher)
    let commands: [(program: String, arguments: [String])] = [
      ("7z", ["x", "-bd", "-pGeheim ü", "../a.zip"]),
      ("bsdtar", ["--passphrase", "Geheim ü", "-xf", "../a.zip"]),
    ]
    for (program, arguments) in commands {
      _ = try bench.directory.createDirectory(program)
      guard let done = try run(program, arguments, in: bench.path(program)) else { continue }
      #expect(done.status == 0, "\(program): \(done.output)")
      let files = try tree(bench.path(program)).filter { !$0.key.hasSuffix("/") && !$0.value.isEmpty }
      #expect(files == Self.content, "\(program)")
    }
    let wrong = try run("7z", ["t", "-pwrong", bench.path("a.zip")])
    #expect(wrong?.status != 0)
  }

  @Test func unzipAndPythonOpenZipCrypto() throws {
    try write(.zipCrypto)
    let program = "import sys, zipfile; zipfile.ZipFile('../a.zip').extractall('.', pwd='Geheim ü'.encode())"
    for (program, arguments) in [
      ("unzip", ["-q", "-P", "Geheim ü", "../a.zip"]), ("python3", ["-c", program]),
    ] {
      _ = try bench.directory.createDirectory(program)
      guard let done = try run(program, arguments, in: bench.path(program)) else { continue }
      #expect(done.status == 0, "\(program): \(done.output)")
      let files = try tree(bench.path(program)).filter { !$0.key.hasSuffix("/") && !$0.value.isEmpty }
      #expect(files == Self.content, "\(program)")
    }
  }

  @Test func noTwoArchivesAreTheSame() throws {
    try write(.aes256)
    let first = try bench.bytes("a.zip")
    try write(.aes256)
    #expect(try bench.bytes("a.zip") != first)
  }

  @Test func anEmptyPasswordIsRefused() throws {
    #expect(throws: ZipWriteError.badArgument("the password is empty")) {
      try ZipWriter(creating: "a.zip", in: bench.directory, options: ZipWriterOptions(password: Password("")))
    }
  }

  @Test func readableAndEncryptedFilesStandInOneArchive() throws {
    _ = try bench.archive(rules: []) { try $0.add(data: Array("<p>".utf8), as: "index.html") }
    let options = ZipWriterOptions(level: 0, password: Password("x"))
    let zip = try ZipWriter(appendingTo: "a.zip", in: bench.directory, options: options)
    try zip.add(data: prose(10), as: "secret.txt")
    try zip.finish()
    #expect(try bench.judged("a.zip").rules == ["encrypted"])
    #expect(
      try unpack("a.zip", with: "x") == ["index.html": Array("<p>".utf8), "secret.txt": prose(10)])
  }
}
