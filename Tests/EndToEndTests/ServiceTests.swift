import Foundation
import Platform
import TestSupport
import Testing

/// `game-depot serve` as a service manager and logrotate deal with it.
@Suite struct ServiceTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func serve(_ words: [String], prelude: String? = nil) throws -> RunningServer {
    try RunningServer(
      "game-depot",
      ["serve", "--data", workshop.depot, "--listen", "127.0.0.1:0", "--disk-floor", "0"] + words,
      in: workshop.folder.path, after: prelude)
  }

  private func count(_ words: String, in server: RunningServer) -> Int {
    server.log.components(separatedBy: words).count - 1
  }

  @Test func aNewCertificateIsTakenWithoutARestartAndABrokenOneIsNot() throws {
    let old = try TestCertificate(in: workshop.folder, names: ["127.0.0.1"], daysLeft: 30)
    let path = "\(workshop.folder.path)/live"
    func install(_ certificate: String, _ key: String) throws {
      for (source, target) in [(certificate, "\(path).crt"), (key, "\(path).key")] {
        try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target))
      }
    }
    try install(old.files.certificate, old.files.key)
    let server = try serve(["--tls-cert", "\(path).crt", "--tls-key", "\(path).key"])
    func trusts(_ authority: String) throws -> Bool {
      try Programs.run("game-depot", "healthcheck", server.url, "--cacert", authority).status == 0
    }
    #expect(try trusts(old.files.certificate))
    let new = try TestCertificate(in: workshop.folder, names: ["127.0.0.1"], kind: .rsa, daysLeft: 90)
    try install(new.files.certificate, new.files.key)
    server.process.hangUp()
    #expect(eventually { count("read a certificate", in: server) == 2 })
    #expect(try trusts(new.files.certificate))
    #expect(try !trusts(old.files.certificate))
    try Data("no certificate".utf8).write(to: URL(filePath: "\(path).crt"))
    server.process.hangUp()
    #expect(server.logs("keeping the certificates there are"))
    #expect(try trusts(new.files.certificate))
    #expect(server.stop() == 0)
  }

  @Test func theAccessLogIsReopenedAfterItWasMovedAway() throws {
    let log = "\(workshop.folder.path)/access.log"
    let server = try serve(["--access-log", log])
    func ask(_ target: String) throws {
      let client = try RawClient(port: server.port)
      try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.response()
    }
    try ask("/games?q=before")
    #expect(eventually { (try? String(contentsOfFile: log, encoding: .utf8))?.contains("q=before") == true })
    try FileManager.default.moveItem(atPath: log, toPath: "\(log).1")
    kill(server.process.processIdentifier, SIGUSR1)
    #expect(server.logs("reopened the access log"))
    try ask("/games?q=after")
    #expect(server.stop() == 0)
    #expect(try String(contentsOfFile: log, encoding: .utf8).contains("q=after"))
    #expect(try !String(contentsOfFile: "\(log).1", encoding: .utf8).contains("q=after"))
  }

  @Test func aServiceManagerHearsOfTheStartTheStopAndThatItIsAlive() throws {
    let socket = try NotifySocket("\(workshop.folder.path)/notify")
    let server = try serve([], prelude: "export NOTIFY_SOCKET='\(socket.address)' WATCHDOG_USEC=100000")
    // The watchdog may be first by a hair.
    var heard: [String] = []
    while Set(heard) != ["READY=1", "WATCHDOG=1"], heard.count < 10, let next = socket.next() {
      heard.append(next)
    }
    #expect(Set(heard) == ["READY=1", "WATCHDOG=1"])
    #expect(server.stop() == 0)
    while heard.last != "STOPPING=1", let next = socket.next() { heard.append(next) }
    #expect(heard.last == "STOPPING=1")
  }
}

extension Process {
  fileprivate func hangUp() { kill(processIdentifier, SIGHUP) }
}
