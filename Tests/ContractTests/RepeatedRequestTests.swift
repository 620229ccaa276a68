import Catalogue
import DepotModel
import DepotService
import Foundation
import TestSupport
import Testing

/// Requests that come again with the same bytes: never answered with what no longer holds, or is somebody else's.
@Suite struct RepeatedRequestTests {
  private static func publish(_ version: String, through live: LiveDepot) throws {
    let zip = ZipBuilder.zip(["index.html": "\(version)"])
    let wire = Wire.upload("gameId=a&h5Version=\(version)", length: zip.count)
    #expect(try live.exchange(wire, body: zip).status == 201)
  }

  private static func version(in answer: RawResponse) throws -> String? {
    let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    return (body?["game"] as? [String: Any])?["h5Version"] as? String
  }

  @Test func nameTheNewVersionOnceItsPublisherIsTold() async throws {
    try await withLiveDepot { live in
      // Some of them on each loop.
      let clients = try (0..<8).map { _ in try live.client() }
      for version in 1...12 {
        try Self.publish("\(version)", through: live)
        for _ in 0..<3 {
          for client in clients { try client.send(Wire.get("/games/a/check?h5Version=0")) }
          for client in clients { #expect(try Self.version(in: client.response()) == "\(version)") }
        }
      }
    }
  }

  @Test func nameTheVersionThatAnotherProcessPointsAt() async throws {
    try await withLiveDepot { live in
      var settings = DepotSettings.standard
      settings.diskFloor = 0
      let other = try Depot(path: live.path, creating: false, settings: settings)
      let client = try live.client()
      for version in ["1", "2", "3"] { try Self.publish(version, through: live) }
      for version in ["1", "3", "2"] {
        try other.catalogue.setChannel(
          try #require(GameID("a")), .stable, to: try #require(H5Version(version)), mandatory: false,
          minHostVersion: nil, actor: nil)
        for _ in 0..<4 {
          try client.send(Wire.get("/games/a/check?h5Version=0"))
          #expect(try Self.version(in: client.response()) == version)
        }
      }
    }
  }

  @Test func neverGiveOneHostsLinksToAnother() async throws {
    try await withLiveDepot { live in
      try Self.publish("1", through: live)
      let client = try live.client()
      for _ in 0..<4 {
        for host in ["one.test", "two.test", "one.test:81"] {
          for target in ["/games/a/check?h5Version=0", "http://\(host)/games/a/check?h5Version=0"] {
            try client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try client.response().text.contains("http://\(host)/games/"))
          }
        }
      }
    }
  }

  @Test func areJudgedByTheConditionTheyCarry() async throws {
    try await withLiveDepot { live in
      try Self.publish("1", through: live)
      let client = try live.client()
      try client.send(Wire.get("/games/a/check?h5Version=0"))
      let tag = try #require(try client.response()["ETag"])
      for _ in 0..<4 {
        try client.send(Wire.get("/games/a/check?h5Version=0", "If-None-Match: \(tag)\r\n"))
        let unchanged = try client.response()
        #expect(unchanged.status == 304 && unchanged["ETag"] == tag)
        try client.send(Wire.get("/games/a/check?h5Version=0").replacing("GET", with: "HEAD"))
        let head = try client.response(toHead: true)
        #expect(head.status == 200 && head["ETag"] == tag)
      }
      try Self.publish("2", through: live)
      try client.send(Wire.get("/games/a/check?h5Version=0", "If-None-Match: \(tag)\r\n"))
      #expect(try Self.version(in: client.response()) == "2")
      for target in ["/games/a/package.zip", "/games/a/versions/2/package.zip"] {
        for _ in 0..<4 {
          try client.send(Wire.get(target, "Range: bytes=0-3\r\n"))
          let part = try client.response()
          #expect(part.status == 206 && part.text == "PK\u{3}\u{4}")
        }
      }
    }
  }

  @Test func findNothingOfAGameThatIsGone() async throws {
    try await withLiveDepot { live in
      try Self.publish("1", through: live)
      let client = try live.client()
      for _ in 0..<4 {
        try client.send(Wire.get("/games/a/check?h5Version=0"))
        #expect(try client.response().status == 200)
      }
      let removal =
        "DELETE /games/a HTTP/1.1\r\nHost: depot.test\r\nAuthorization: Bearer admin-token\r\n\r\n"
      #expect(try live.exchange(removal).status < 300)
      try client.send(Wire.get("/games/a/check?h5Version=0"))
      #expect(try client.response().text.contains(#""reason":"game_removed""#))
    }
  }
}
