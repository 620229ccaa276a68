import Foundation
import TestSupport
import Testing

/// Encrypted packages, from the publisher to the player.
@Suite struct EncryptedGameTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private static let files: [(name: String, content: String)] = [
    ("index.html", "<h1>sealed</h1>"), ("js/app.js", String(repeating: "play();\n", count: 5000)),
    ("empty.txt", ""),
  ]

  private func sealed(_ name: String, _ cipher: TestCipher, _ password: String) throws -> String {
    let entries = Self.files.map {
      ZipEntry($0.name, FileContent(Array($0.content.utf8))).encrypted(cipher, password: password)
    }
    let path = "\(workshop.folder.path)/\(name).zip"
    try Data(ZipBuilder(entries).build()).write(to: URL(filePath: path))
    return path
  }

  private func passwordFile(_ text: String, mode: Int = 0o600) throws -> String {
    let path = "\(workshop.folder.path)/passwords-\(UUID())"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  @Test(arguments: [TestCipher.aes(bits: 256, version: 2), .aes(bits: 128, version: 1), .zipCrypto])
  func anEncryptedGameIsPublishedMirroredAndPlayed(cipher: TestCipher) throws {
    let server = try workshop.serve()
    let published = try workshop.publish(
      try sealed("sealed", cipher, "geheim"), "sealed", "1.0", to: server.url)
    #expect(published.status == 0, "\(published)")

    let client = try RawClient(port: server.port)
    try client.send("GET /games/sealed/manifest HTTP/1.1\r\nHost: a\r\n\r\n")
    let manifest = try #require(
      try JSONSerialization.jsonObject(with: Data(try client.response().text.utf8)) as? [String: Any])
    let files = try #require(manifest["files"] as? [[String: Any]])
    #expect(files.count == 3)
    for file in files {
      #expect(file["encrypted"] as? Bool == true && file["sha256"] is NSNull && file["md5"] is NSNull)
      #expect((file["compressedSha256"] as? String)?.count == 64)
    }

    let sync = try workshop.sync(server.url, "--password-file", try passwordFile("sealed geheim\nother x\n"))
    #expect(sync.status == 0, "\(sync)")
    #expect(sync.output + sync.errors == "", "cron hears nothing of success")
    for file in Self.files { #expect(workshop.installed("sealed/current/\(file.name)") == file.content) }

    let play = try RunningServer(
      "mirror-sync", ["serve", "--dest", workshop.mirror, "--listen", "127.0.0.1:0"], in: workshop.folder.path
    )
    let player = try RawClient(port: play.port)
    try player.send("GET /play/sealed/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try player.response().text == "<h1>sealed</h1>")
  }

  @Test func aMissingAndAWrongPasswordAreToldAndStopNoOtherGame() throws {
    let server = try workshop.serve()
    let plain = try workshop.zip("plain", ["index.html": "plain"])
    #expect(try workshop.publish(plain, "plain", "1.0", to: server.url).status == 0)
    let path = try sealed("sealed", .aes(bits: 256, version: 2), "geheim")
    #expect(try workshop.publish(path, "sealed", "1.0", to: server.url).status == 0)

    let without = try workshop.sync(server.url)
    #expect(without.status == 1)
    #expect(
      without.errors
        == "mirror-sync: sealed: its package is encrypted and there is no password for it; give one with --password-file\n"
    )
    #expect(workshop.installed("plain/current/index.html") == "plain")

    let wrong = try workshop.sync(server.url, "--password-file", try passwordFile("Geheim"))
    #expect(wrong.status == 1)
    #expect(
      wrong.errors.hasPrefix("mirror-sync: sealed: the password for its package is wrong"), "\(wrong.errors)")
    #expect(!wrong.errors.contains("Geheim") && wrong.errors.split(separator: "\n").count == 1)
    #expect(workshop.installed("sealed/current/index.html") == nil)

    let variable = try Programs.run(
      "mirror-sync", ["--server", server.url, "--dest", workshop.mirror],
      environment: ["MIRROR_SYNC_PASSWORD_FILE": try passwordFile("geheim\r\n")])
    #expect(variable.status == 0, "\(variable)")
    #expect(workshop.installed("sealed/current/index.html") == "<h1>sealed</h1>")
  }

  @Test func aPasswordFileThatCannotBeUsedIsRefused() throws {
    let url = "http://127.0.0.1:1"
    let open = try workshop.sync(url, "--password-file", try passwordFile("geheim", mode: 0o644))
    #expect(open.status == 66 && open.errors.contains("chmod o="), "\(open)")
    #expect(try workshop.sync(url, "--password-file", "/nonexistent").status == 66)
    let empty = try workshop.sync(url, "--password-file", try passwordFile("\n# nothing\n"))
    #expect(empty.status == 64 && empty.errors.contains("there is no password in it"), "\(empty)")
    let odd = try workshop.sync(url, "--password-file", try passwordFile("a geheim\ngeheim\n"))
    #expect(odd.status == 64 && odd.errors.contains("line 2") && !odd.errors.contains("geheim"), "\(odd)")
  }
}
