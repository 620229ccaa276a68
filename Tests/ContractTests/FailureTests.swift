import DepotService
import Foundation
import Platform
import TestSupport
import Testing

/// A fault of the server itself.
@Suite struct FailureTests {
  @Test func isAProblemForTheClientAndACauseInTheLog() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/log"
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    let zip = ZipBuilder.zip(["index.html": "x"])
    let logger = Logger(format: .json, minimum: .info, descriptor: log.fileDescriptor)
    try await withLiveDepot(logger: logger) { live in
      #expect(
        try live.exchange(Wire.upload("gameId=a&h5Version=1", length: zip.count), body: zip).status == 201)
      try FileManager.default.removeItem(atPath: "\(live.path)/blobs/sha256")
      let client = try live.client()
      for method in ["GET", "HEAD"] {
        try client.send(
          "\(method) /games/a/package.zip HTTP/1.1\r\nHost: a\r\nX-Request-Id: lost-\(method)\r\n\r\n")
        let answer = try client.response(toHead: method == "HEAD")
        #expect(answer.status == 500)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer["X-Request-Id"] == "lost-\(method)")
        #expect(!answer.text.contains(live.path))
        guard method == "GET" else { continue }
        let problem = try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        #expect(problem["type"] as? String == "urn:game-depot:problem:internal")
        #expect(problem["status"] as? Int == 500)
      }
      try client.send(Wire.get("/healthz"))
      #expect(try client.response().status == 200, "the connection goes on")
    }
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.contains("lost-GET") })
    let event = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(event["level"] as? String == "error")
    #expect(event["requestId"] as? String == "lost-GET")
    #expect(event["status"] as? String == "500")
    #expect(event["target"] as? String == "/games/a/package.zip")
    #expect((event["cause"] as? String)?.contains("open") == true, "what failed")
  }
}
