import Foundation
import HTTPServer
import HTTPWire
import Platform
import PlayService
import TestSupport
import Testing

/// Requests and folders that somebody made to be a nuisance.
@Suite struct HostileRequestTests {
  private let mirror: MirrorFolder

  init() throws {
    mirror = try MirrorFolder()
    try mirror.put("file", "a/b.txt")
  }

  @Test(arguments: [
    "/play/courier/../1.0/index.html", "/play/courier/%2e%2e/1.0/index.html",
    "/play/courier/.%2E/x", "/play/courier/a/../../../../secret.txt", "/play/courier/./index.html",
    "/play/courier/a%00", "/play/courier/index.html%00.png", "/play/courier/a%0Ab", "/play/courier/%7f",
    "/play/courier/%ff", "/play/courier/%c0%ae%c0%ae/x", "/play/courier/%", "/play/courier/%2",
    "/play/courier/%ed%a0%80",
  ])
  func noSpellingLeadsElsewhere(_ target: String) async throws {
    #expect(try await mirror.answer(target).status == 400)
    let onHost = String(target.dropFirst("/play/courier".count))
    #expect(try await mirror.answer(onHost, ["Host": "courier.localhost"]).status == 400)
  }

  @Test(arguments: [
    "%2Fetc%2Fpasswd", "a%2Fb.txt", "a%2fb.txt", "..%2f..%2fsecret.txt", "%2F", "/", "//", "a//b.txt",
    "a/b.txt/", "a/b.txt/c", "a%5Cb.txt", "..%5C..%5Csecret.txt", "%252e%252e/secret.txt", "...", "....//",
    "con", "index.html::$DATA", "index.html.", "index.html%20", "%20index.html", "~", "current",
    "games/secret.txt", "%E2%80%AE", "a;b=c/b.txt",
  ])
  func whatOnlyLooksLikeAFileIsNone(_ path: String) async throws {
    let answer = try await mirror.answer("/play/courier/\(path)")
    #expect(answer.status == 404, "\(answer.body)")
    #expect(!answer.body.contains("secret"))
  }

  @Test func aNameLongerThanAnyDiskHoldsIsNotThere() async throws {
    let long = String(repeating: "n", count: 256)
    let deep = String(repeating: "d/", count: 3000)
    for path in [long, deep, "a/\(long)/b", "\(long).js"] {
      #expect(try await mirror.answer("/play/courier/\(path)").status == 404)
    }
    #expect(try await mirror.answer("/play/\(long)/").status == 404)
  }

  @Test(.timeLimit(.minutes(1))) func whatIsNoFileIsNotOpenedForLong() async throws {
    #expect(run("mkfifo", "\(mirror.folder)/pipe"))
    #expect(run("mkfifo", "\(mirror.folder)/text.js"))
    for (name, target) in [
      ("zero", "/dev/zero"), ("passwd", "/etc/passwd"), ("up", ".."), ("self", "."), ("twice", "self"),
      ("proc", "/proc/self/root"), ("absolute", "\(mirror.path)/games/courier/versions/1.0"),
      ("folder", "a"), ("file.txt", "a/b.txt"), ("folder/index.html", "/etc/passwd"),
    ] {
      // The link inside a link cannot be made; the others can.
      try? FileManager.default.createSymbolicLink(
        atPath: "\(mirror.folder)/\(name)", withDestinationPath: target)
    }
    for path in [
      "pipe", "text.js", "PIPE", "zero", "passwd", "up/1.0/index.html", "self/index.html", "twice/index.html",
      "proc/etc/passwd", "absolute/index.html", "folder/b.txt", "file.txt", "FILE.TXT",
    ] {
      let answer = try await mirror.answer("/play/courier/\(path)", ["Accept-Encoding": "gzip, br"])
      #expect(answer.status == 404, "\(path)")
    }
  }

  @Test(.timeLimit(.minutes(1))) func aNeighbourThatIsNoFileIsNotSent() async throws {
    let script = String(repeating: "let a = 1;", count: 500)
    try mirror.put(script, "main.data")
    try mirror.put("zz", "main.data.gz")
    #expect(try await mirror.answer("/play/courier/main.data", ["Accept-Encoding": "gzip"]).body == script)
    try FileManager.default.removeItem(atPath: "\(mirror.folder)/main.data.gz")
    #expect(run("mkfifo", "\(mirror.folder)/main.data.gz"))
    #expect(try await mirror.answer("/play/courier/main.data", ["Accept-Encoding": "gzip"]).body == script)
    try FileManager.default.removeItem(atPath: "\(mirror.folder)/main.data.gz")
    try FileManager.default.createSymbolicLink(
      atPath: "\(mirror.folder)/main.data.gz", withDestinationPath: "/etc/passwd")
    #expect(try await mirror.answer("/play/courier/main.data", ["Accept-Encoding": "gzip"]).body == script)
  }

  @Test(arguments: [
    "versions/../../../..", "/etc", "versions/1.0/", "versions/1.0/..", "versions/", "", "1.0",
  ])
  func aCurrentThatPointsElsewhereIsNone(_ target: String) async throws {
    try? mirror.flip(to: target)
    #expect(try await mirror.answer("/play/courier/index.html").status == 404)
    #expect(try await mirror.answer("/play/courier/passwd").status == 404)
  }

  @Test func aVersionThatIsALinkIsNone() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(mirror.path)/games/courier/versions/2.0", withDestinationPath: "/etc")
    try mirror.flip(to: "versions/2.0")
    #expect(try await mirror.answer("/play/courier/passwd").status == 404)
    try FileManager.default.createSymbolicLink(
      atPath: "\(mirror.path)/games/linked", withDestinationPath: "courier")
    #expect(try await mirror.answer("/play/linked/index.html").status == 404)
    try MirrorFolder.write("no folder", "\(mirror.path)/games/plain")
    #expect(try await mirror.answer("/play/plain/index.html").status == 404)
  }

  @Test func noFolderIsListed() async throws {
    try mirror.put("x", "secret-plans/hidden.txt")
    for path in ["secret-plans", "secret-plans/"] {
      let answer = try await mirror.answer("/play/courier/\(path)")
      #expect(!answer.body.contains("hidden"))
      #expect(answer.status == (path.hasSuffix("/") ? 404 : 308))
    }
  }

  /// What a package brings is no secret: all of it can be downloaded.
  @Test func aFileThatBeginsWithADotIsOne() async throws {
    try mirror.put("x", ".well-known/a.txt")
    #expect(try await mirror.answer("/play/courier/.well-known/a.txt").body == "x")
  }

  @Test func theWayToAFolderNamesNoOtherHost() async throws {
    try FileManager.default.createDirectory(
      atPath: "\(mirror.folder)/attacker.example", withIntermediateDirectories: true)
    let answer = try await mirror.answer("//attacker.example", ["Host": "courier.localhost"])
    #expect(answer.status == 404)
    let folder = try await mirror.answer("/attacker.example?a=%0d%0a", ["Host": "courier.localhost"])
    #expect(folder.fields["Location"] == "/attacker.example/?a=%0d%0a")
  }

  @Test func rangesWithoutEndBreakNothing() async throws {
    for range in [
      "bytes=0-0," + String(repeating: "1-1,", count: 100), "bytes=9223372036854775807-", "bytes=-0",
      "bytes=5-2",
      "bytes=a-b", "bytes=", "items=0-1", "bytes=-99999999999999999999",
    ] {
      let answer = try await mirror.answer("/play/courier/a/b.txt", ["Range": range])
      #expect([200, 206, 416].contains(answer.status), "\(range)")
    }
  }

  /// As many as a flood brings, of everything that is looked for only once: nothing of it may stay.
  @Test func aFloodOfNamesLeavesNothing() async throws {
    for number in 0..<2000 {
      _ = try await mirror.answer("/play/courier/\(number).js.gz", ["Accept-Encoding": "gzip"])
      _ = try await mirror.answer("/play/g\(number)/", ["Cookie": "depot-version=\(number)"])
      _ = try await mirror.answer("/", ["Host": "g\(number).localhost"])
    }
    #expect(try await mirror.answer("/play/courier/a/b.txt").body == "file")
  }

  private func run(_ words: String...) -> Bool {
    guard let program = try? ChildProcess(words, environment: ["PATH": "/usr/bin:/bin"]) else { return false }
    return program.wait(atMost: .seconds(10)) == .exited(0)
  }

  // MARK: Over a socket

  @Test func theSameOverASocket() async throws {
    try mirror.put(String(repeating: "let a = 1;\n", count: 1000), "main.js")
    let workers = try WorkerPool(count: 2)
    let server = try HTTPServer(
      handler: mirror.handler, listen: [try #require(ListenAddress("127.0.0.1:0"))], loops: 1,
      workers: workers,
      limits: .standard, accessLog: nil, logger: .silent)
    try server.start()
    let client = try RawClient(port: server.addresses[0].port)
    func get(_ target: String, _ more: String = "", method: String = "GET") throws -> RawResponse {
      try client.send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n")
      return try client.response(toHead: method == "HEAD")
    }
    #expect(try get("/play/courier/").text == "<h1>new</h1>")
    #expect(try get("/play/courier/a/b.txt", "Range: bytes=0-1\r\n").text == "fi")
    let small = try get("/play/courier/main.js", "Accept-Encoding: gzip\r\n")
    #expect(small["Content-Encoding"] == "gzip")
    let head = try get("/play/courier/main.js", "Accept-Encoding: gzip\r\n", method: "HEAD")
    #expect(head["Content-Length"] == small["Content-Length"])
    #expect(head["ETag"] == small["ETag"])
    #expect(try get("/play/courier/main.js").body.count == 11_000)
    #expect(try get("/play/courier/../x").status == 400)
    #expect(try get("http://attacker.example/play/courier/").status == 421)
    #expect(try get("/play/courier/", method: "DELETE").status == 405)
    #expect(try get("/").status == 200)
    // Several at once, whose answers are made on workers and on the loop: they come in order.
    try client.send(
      "GET /play/courier/a/b.txt HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        + "GET /play/courier/ HTTP/1.1\r\nHost: courier.localhost\r\n\r\nGET / HTTP/1.1\r\nHost: a.b.localhost\r\n\r\n"
    )
    #expect(try client.response().text == "file")
    #expect(try client.response().status == 200)
    #expect(try client.response().status == 404)
    #expect(try client.response().status == 404)
    await server.stop()
    workers.shutdown()
  }
}
