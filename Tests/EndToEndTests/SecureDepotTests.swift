import Foundation
import Platform
import TestSupport
import Testing

/// Both programs with TLS between them.
@Suite struct SecureDepotTests {
  private let workshop: Workshop
  private let certificate: TestCertificate

  init() throws {
    workshop = try Workshop()
    certificate = try TestCertificate(in: workshop.folder, names: ["127.0.0.1"], daysLeft: 30)
  }

  private func serve() throws -> RunningServer {
    try workshop.serve("--tls-cert", certificate.files.certificate, "--tls-key", certificate.files.key)
  }

  @Test func aGameIsPublishedAndMirroredOverTLS() throws {
    let server = try serve()
    #expect(server.url.hasPrefix("https://127.0.0.1:"))
    let trust = ["--cacert", certificate.files.certificate]
    let zip = try workshop.zip("game", ["index.html": "<h1>one</h1>"])
    let published = try Programs.run(
      "game-depot",
      ["publish", zip, "--game", "courier", "--h5-version", "1.0", "--server", server.url]
        + ["--token-file", workshop.tokenFile] + trust)
    #expect(published.status == 0, "\(published)")
    let sync = try Programs.run(
      "mirror-sync", ["sync", "--server", server.url, "--dest", workshop.mirror] + trust)
    #expect(sync.status == 0, "\(sync)")
    #expect(workshop.installed("courier/current/index.html") == "<h1>one</h1>")
    #expect(try Programs.run("game-depot", ["healthcheck", server.url] + trust).status == 0)
    #expect(server.log.contains("read a certificate"))
    #expect(server.stop() == 0)
  }

  @Test func urlsOfPackagesAreSecureToo() throws {
    let server = try serve()
    let zip = try workshop.zip("game", ["index.html": "<h1>one</h1>"])
    _ = try Programs.run(
      "game-depot", "publish", zip, "--game", "courier", "--h5-version", "1.0", "--data", workshop.depot)
    let client = try RawClient(port: server.port, offering: .init())
    try client.send("GET /games/courier HTTP/1.1\r\nHost: games.example\r\n\r\n")
    #expect(
      try client.response().text.contains("https://games.example/games/courier/versions/1.0/package.zip"))
  }

  @Test func aServerThatIsNotTrustedGetsNothing() throws {
    let server = try serve()
    let sync = try Programs.run("mirror-sync", "sync", "--server", server.url, "--dest", workshop.mirror)
    #expect(sync.status == 69, "\(sync)")
    #expect(sync.errors.contains("certificate"), "\(sync)")
    let stranger = try TestCertificate(in: workshop.folder, names: ["stranger.example"])
    let published = try Programs.run(
      "game-depot",
      [
        "publish", try workshop.zip("game", ["index.html": "x"]), "--game", "courier", "--h5-version", "1.0",
        "--server", server.url, "--token-file", workshop.tokenFile, "--cacert", stranger.files.certificate,
      ])
    #expect(published.status == 69, "\(published)")
    #expect(!server.log.contains(workshop.token))
  }

  @Test(arguments: [
    (["--tls-cert", "CERT"], 64, "1 certificates and 0 keys"),
    (["--listen", "https://127.0.0.1:0"], 64, "needs --tls-cert"),
    (["--tls-cert", "CERT", "--tls-key", "/nonexistent.key"], 66, "/nonexistent.key"),
    (["--tls-cert", "CERT", "--tls-key", "CERT"], 65, "private key"),
    (["--tls-cert", "KEY", "--tls-key", "KEY"], 65, "certificate"),
  ])
  func aServerWithoutItsCertificateSaysWhy(_ words: [String], _ status: Int32, _ reason: String) throws {
    let files = ["CERT": certificate.files.certificate, "KEY": certificate.files.key]
    let result = try Programs.run(
      "game-depot",
      ["serve", "--data", workshop.depot, "--listen", "127.0.0.1:0"] + words.map { files[$0] ?? $0 })
    #expect(result.status == status, "\(result)")
    #expect(result.errors.contains(reason), "\(result)")
  }

  @Test(arguments: [(-1, "past its end"), (2, "ends soon")])
  func aCertificateThatEndsIsToldAtStart(_ daysLeft: Int, _ words: String) throws {
    let folder = try TemporaryFolder()
    let old = try TestCertificate(in: folder, names: ["127.0.0.1"], daysLeft: daysLeft)
    let server = try workshop.serve("--tls-cert", old.files.certificate, "--tls-key", old.files.key)
    #expect(server.log.contains(words))
  }
}
