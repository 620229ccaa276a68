import Foundation
import TestSupport
import Testing

/// `mirror-sync serve` as a player runs it.
@Suite struct PlayTests {
  private let folder: TemporaryFolder
  private var mirror: String { "\(folder.path)/mirror" }

  init() throws {
    folder = try TemporaryFolder()
    let version = "\(folder.path)/mirror/games/courier/versions/1.0"
    try FileManager.default.createDirectory(atPath: version, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/mirror/games/courier/current", withDestinationPath: "versions/1.0")
    try "<h1>courier</h1>".write(toFile: "\(version)/index.html", atomically: true, encoding: .utf8)
    try Data().write(to: URL(filePath: "\(version)/big.data"))
    try FileHandle(forWritingTo: URL(filePath: "\(version)/big.data")).truncate(atOffset: 1 << 30)
  }

  private func serve(_ more: String..., listeners: Int = 1) throws -> RunningServer {
    try RunningServer(
      "mirror-sync", ["serve", "--dest", mirror] + more, in: folder.path, listeners: listeners)
  }

  private func get(_ target: String, _ host: String, _ server: RunningServer) throws -> RawResponse {
    let client = try RawClient(port: server.port)
    try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
    return try client.response()
  }

  @Test func playsAGameUnderItsPathAndUnderItsHost() throws {
    let server = try serve("--listen", "127.0.0.1:0", "--allow-host", "games.example")
    #expect(try get("/play/courier/", "127.0.0.1:\(server.port)", server).text == "<h1>courier</h1>")
    #expect(try get("/", "courier.localhost:\(server.port)", server).text == "<h1>courier</h1>")
    #expect(try get("/play/courier/", "games.example", server).status == 200)
    #expect(try get("/play/courier/", "attacker.example", server).status == 421)
    #expect(server.stop() == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func endsAtOnceEvenWhileAFileIsSent(_ signal: Int32) throws {
    let server = try serve("--listen", "127.0.0.1:0")
    let client = try RawClient(port: server.port, receiveBuffer: 4096)
    try client.send("GET /play/courier/big.data HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try client.skip(1000)
    let began = Date()
    #expect(server.stop(signal) == 0)
    #expect(Date().timeIntervalSince(began) < 5, "nothing is waited for, not even the old second")
    _ = client
  }

  @Test func tellsWhereAPhoneFindsIt() throws {
    let server = Programs.process(
      "mirror-sync", ["serve", "--dest", mirror, "--listen", "0.0.0.0:0", "--listen", "127.0.0.1:0"])
    let output = Pipe()
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
    var text = ""
    while text.components(separatedBy: "listening on http://").count < 3 || text.last != "\n" {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { break }
      text += String(decoding: piece, as: UTF8.self)
    }
    server.interrupt()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    server.waitUntilExit()
    #expect(server.terminationStatus == 0)
    let lines = text.split(separator: "\n")
    let port = try #require(lines.first?.split(separator: ":").last)
    #expect(lines.count >= 2)
    #expect(lines[0].hasPrefix("listening on http://0.0.0.0:"))
    #expect(lines[1].hasPrefix("listening on http://127.0.0.1:"))
    // Wherever this runs, there may be no network: but nothing else is told, and no code where there is no terminal.
    for line in lines.dropFirst(2) { #expect(line.hasPrefix("http://") && line.hasSuffix(":\(port)/")) }
  }

  @Test(arguments: [
    (["--dest", "/nonexistent"], 66, "no mirror to serve: open /nonexistent: No such file or directory"),
    (["--dest", "/tmp", "--spa", "a b"], 64, "--spa: \"a b\" is not the id of a game"),
    (
      ["--dest", "/tmp", "--allow-host", "a:80"], 64, "\"a:80\" is not a host name or address without a port"
    ),
    (["--dest", "/tmp", "--isolate", "a", "--no-isolate", "a"], 64, "--no-isolate: \"a\""),
    (["--dest", "/tmp", "--raw-encodings", ""], 64, "--raw-encodings: \"\""),
  ])
  func refusesWhatCannotBe(_ words: [String], _ code: Int32, _ message: String) throws {
    let result = try Programs.run("mirror-sync", ["serve", "--listen", "127.0.0.1:0"] + words)
    #expect(result.status == code)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.output == "")
  }
}
