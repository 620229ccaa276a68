import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Requests that come again with the same bytes, and are answered without being read.
@Suite struct RepeatedRequestsTests {
  /// Answers with the target, and counts how often it is asked.
  private final class Counter: Sendable {
    let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @Sendable func respond(to request: HTTPRequest) -> HTTPReaction {
      let number = count.add(1, ordering: .sequentiallyConsistent).newValue
      return .repeatable(.text("\(number) \(request.target)"))
    }
  }

  @Test func areAskedForTwiceAndThenKnown() async throws {
    let counter = Counter()
    try await withServer(counter.respond) { live in
      var identifiers: Set<String?> = []
      for (number, expected) in ["1", "2", "2", "2", "2"].enumerated() {
        // Whoever sends it.
        let client = try live.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 200 && response.text == "\(expected) /a", "\(number)")
        #expect(response["Content-Type"] == "text/plain" && response["Content-Length"] == "4")
        #expect(response["Date"] != nil && response["Connection"] == nil)
        identifiers.insert(response["X-Request-Id"])
      }
      #expect(identifiers.count == 5, "each answer has an id of its own")
      #expect(counter.value == 2)
    }
  }

  @Test func areOtherOnesWithAnyOtherByte() async throws {
    let heads = [
      "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: b\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nX: 1\r\n\r\n",
      "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer one\r\n\r\n",
      "GET /a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer two\r\n\r\n",
    ]
    let counter = Counter()
    try await withServer(counter.respond) { live in
      let client = try live.client()
      for turn in 0..<4 {
        for head in heads {
          try client.send(head)
          let response = try client.response(toHead: head.hasPrefix("HEAD"))
          let target = head.hasPrefix("HEAD") ? "" : head.contains("/b") ? "/b" : "/a"
          #expect(response.text.hasSuffix(target), "\(turn) \(head)")
          #expect(head.hasPrefix("HEAD") == response.text.isEmpty)
        }
      }
      // Some may have displaced each other.
      #expect(counter.value >= 2 * heads.count)
    }
  }

  @Test func areAskedForAnewInAnotherEdition() async throws {
    let counter = Counter()
    let editions = Editions()
    try await withServer(editions: editions, counter.respond) { live in
      let client = try live.client()
      for (number, expected) in ["1", "2", "2", "3", "3", "3"].enumerated() {
        if number == 3 { editions.begin() }
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().text == "\(expected) /a")
      }
    }
  }

  @Test func areAskedForAnewWhenTheEditionChangesInsideABatch() async throws {
    let counter = Counter()
    let editions = Editions()
    try await withServer(editions: editions) { request in
      if request.path == "/change" { editions.begin() }
      return counter.respond(to: request)
    } while: { live in
      let client = try live.client()
      let known = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
      for _ in 0..<3 {
        try client.send(known)
        #expect(try client.response().text.hasSuffix(" /a"))
      }
      try client.send(known + "GET /change HTTP/1.1\r\nHost: a\r\n\r\n" + known)
      let texts = try (0..<3).map { _ in try client.response().text }
      #expect(texts[1].hasSuffix(" /change"))
      #expect(texts[2] != texts[0] && texts[2].hasSuffix(" /a"))
    }
  }

  @Test func areNotKnownWithABodyOrAnExpectation() async throws {
    let counter = Counter()
    try await withServer(counter.respond) { live in
      let client = try live.client()
      for number in 1...4 {
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET ")
        #expect(try client.response().text == "\(2 * number - 1) /a")
        try client.send(
          "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        #expect(try client.response().text == "\(2 * number) /a")
      }
    }
  }

  @Test func areKnownOverTLSAndApartFromPlainOnes() async throws {
    let counter = Counter()
    let folder = try TemporaryFolder()
    let certificate = try TestCertificate(in: folder, names: ["localhost"])
    let listen = try ["http://127.0.0.1:0", "https://127.0.0.1:0"].map { try #require(ListenAddress($0)) }
    try await withServer(listen: listen, tls: try TLSContext([certificate.files])) { request in
      counter.count.add(1, ordering: .sequentiallyConsistent)
      return .repeatable(.text(request.isSecure ? "secure" : "plain"))
    } while: { live in
      let plain = try live.client()
      let secure = try RawClient(port: live.server.addresses[1].port, offering: .init())
      for _ in 0..<8 {
        for (client, text) in [(plain, "plain"), (secure, "secure")] {
          try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.response().text == text)
        }
      }
      // The two may share a place, where each makes the other forgotten.
      #expect(counter.value == 4 || counter.value == 16)
    }
  }

  @Test func haveTheDateOfTheirAnswer() async throws {
    let counter = Counter()
    try await withServer(counter.respond) { live in
      let client = try live.client()
      func date() throws -> String? {
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.response()["Date"]
      }
      let first = try #require(try date())
      try await eventually { try date() != first }
      #expect(counter.value == 2)
    }
  }

  /// What was changed elsewhere, and told to somebody, before a connection was opened holds for its first request.
  @Test func areNotOlderThanTheirConnection() async throws {
    let editions = Editions()
    let gate = Semaphore()
    try await withServer(editions: editions) { request in
      // The loop itself waits, and finds the others' requests at once when it goes on.
      if request.path == "/wait" { gate.wait() }
      return .respond(.text("\(editions.batches.load(ordering: .sequentiallyConsistent))"))
    } while: { live in
      let (first, second) = (try live.client(), try live.client())
      for client in [first, second] {
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.response()
      }
      try first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      try second.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      let third = try live.client()
      try third.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      gate.signal()
      _ = try first.response()
      let older = try #require(Int(try second.response().text))
      #expect(try #require(Int(try third.response().text)) > older)
    }
  }

  @Test func areKnownInAPipelineAndByteByByte() async throws {
    let counter = Counter()
    try await withServer(counter.respond) { live in
      let client = try live.client()
      let known = "GET /known HTTP/1.1\r\nHost: a\r\n\r\n"
      for _ in 0..<3 {
        try client.send(known)
        #expect(try client.response().text.hasSuffix(" /known"))
      }
      for byte in known.utf8 { try client.send([byte]) }
      #expect(try client.response().text.hasSuffix(" /known"))
      for count in [8, 8, 8, 500] {
        try client.send(
          (0..<count).map { $0 % 3 == 0 ? "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" : known }.joined())
        for number in 0..<count {
          #expect(try client.response().text.hasSuffix(number % 3 == 0 ? " /\(number)" : " /known"))
        }
      }
      // What begins like it, and is something else.
      try client.send(known + "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + known)
      for target in ["/known", "/body", "/known"] {
        #expect(try client.response().text.hasSuffix(" \(target)"))
      }
    }
  }

  @Test func endTheConnectionWhereTheyAskForIt() async throws {
    let counter = Counter()
    try await withServer(counter.respond) { live in
      for _ in 0..<4 {
        let client = try live.client()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let response = try client.response()
        #expect(response["Connection"] == "close" && response.text.hasSuffix(" /a"))
        #expect(try client.isClosedByServer())
      }
      let old = try live.client()
      for _ in 0..<4 {
        try old.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try old.response()["Connection"] == "keep-alive")
      }
      #expect(counter.value == 4)
    }
  }

  @Test func areNotKeptWithAnythingOfTheirOwn() async throws {
    let asked = Atomic<Int>(0)
    try await withServer { request in
      asked.add(1, ordering: .sequentiallyConsistent)
      switch request.target {
      case "/large":
        return .repeatable(HTTPResponse(.ok, [:], .bytes(Array(repeating: 0x61, count: 20_000))))
      case "/last":
        var response = HTTPResponse.text("last")
        response.closesConnection = true
        return .repeatable(response)
      case "/once": return .respond(.text("once"))
      default: return .repeatable(.text(request.id))
      }
    } while: { live in
      for target in ["/large", "/last", "/once"] {
        for _ in 0..<4 {
          let client = try live.client()
          try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
          #expect(try client.response().status == 200)
        }
      }
      #expect(asked.load(ordering: .sequentiallyConsistent) == 12)
      let client = try live.client()
      for _ in 0..<4 {
        try client.send("GET /id HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
        #expect(try client.response()["X-Request-Id"] == "mine")
        // An empty line before a request is not its first.
        try client.send("\r\nGET /line HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().status == 200)
      }
      #expect(asked.load(ordering: .sequentiallyConsistent) == 20)
    }
  }

  @Test func areJudgedEachTimeWhenAProxySendsThem() async throws {
    let counter = Counter()
    let proxies = TrustedProxies([try #require(TrustedProxy("127.0.0.1"))])
    try await withServer(proxies: proxies, counter.respond) { live in
      let client = try live.client()
      for number in 1...4 {
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
        #expect(try client.response().text == "\(number) /a")
      }
    }
  }

  @Test func standInTheAccessLogLikeOthers() async throws {
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let path = "\(temporary.path)/access.log"
    let log = try AccessLog(format: .text, destination: .file(path), logger: .silent)
    var identifiers: [String] = []
    try await withServer(accessLog: log, Counter().respond) { live in
      let client = try live.client()
      for _ in 0..<5 {
        try client.send("GET /a?b HTTP/1.1\r\nHost: a\r\nUser-Agent: app/1\r\n\r\n")
        identifiers.append(try #require(try client.response()["X-Request-Id"]))
      }
    }
    log.close()
    let file = try File(path: path, mode: .read)
    let lines = String(decoding: try file.bytes(at: 0, count: Int(file.size)), as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.count == 5)
    for (line, id) in zip(lines, identifiers) {
      #expect(line.hasPrefix("127.0.0.1 - - ["))
      #expect(line.contains(#" "GET /a?b HTTP/1.1" 200 6 "-" "app/1" "#))
      #expect(line.hasSuffix(" \(id)"))
    }
  }

  @Test func differByScheme() throws {
    var repeated = RepeatedRequests()
    var plain = try request("GET", "/a")
    var secure = plain
    secure.isSecure = true
    plain.isSecure = false
    for (request, text) in [(plain, "plain"), (secure, "secure")] {
      for _ in 0..<2 { #expect(Self.find(request, &repeated) == nil) }
      repeated.keep(request, .text(text), HeadEnds())
    }
    #expect(Self.find(plain, &repeated)?.hasSuffix("plain") == true)
    #expect(Self.find(secure, &repeated)?.hasSuffix("secure") == true)
  }

  @Test func areNotLookedForInMoreThanAKilobyte() throws {
    for (filler, isKnown) in [(1024 - 36, true), (1025 - 36, false)] {
      var repeated = RepeatedRequests()
      let long = try request("GET", "/" + String(repeating: "x", count: filler))
      #expect(long.bytes.count == filler + 36)
      for _ in 0..<2 { #expect(Self.find(long, &repeated) == nil) }
      repeated.keep(long, .text("long"), HeadEnds())
      #expect((Self.find(long, &repeated) != nil) == isKnown)
    }
  }

  @Test func areFewHoweverManyAreAskedFor() throws {
    var repeated = RepeatedRequests()
    let body = String(repeating: "b", count: OutputBuffer.copiedBody)
    let requests = try (0..<2000).map { try request("GET", "/\($0)") }
    for request in requests {
      for _ in 0..<2 { #expect(Self.find(request, &repeated) == nil) }
      repeated.keep(request, .text(body), HeadEnds())
    }
    // From the last on: looking for one that is gone makes its place's other one forgotten too.
    let kept = requests.reversed().count { Self.find($0, &repeated) != nil }
    #expect(kept > 100 && kept <= 256)
  }

  /// What a request is answered with behind its id.
  private static func find(_ request: HTTPRequest, _ repeated: inout RepeatedRequests) -> String? {
    let found = repeated.find(
      request.bytes, in: 0..<request.bytes.count, isSecure: request.isSecure, edition: 0)
    return found.map { String(decoding: $0.end, as: UTF8.self) }
  }
}
