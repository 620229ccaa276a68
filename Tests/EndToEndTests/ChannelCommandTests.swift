import Foundation
import TestSupport
import Testing

/// `game-depot channel`, beside a server that runs.
@Suite struct ChannelCommandTests {
  private let workshop: Workshop
  private let server: RunningServer

  init() throws {
    workshop = try Workshop()
    server = try workshop.serve()
    for version in ["1.0", "1.1"] {
      let zip = try workshop.zip("game-\(version)", ["index.html": version])
      #expect(try workshop.publish(zip, "courier", version, to: server.url).status == 0)
    }
  }

  private func channel(_ words: String...) throws -> Programs.Result {
    try Programs.run("game-depot", ["channel"] + words + ["--data", workshop.depot])
  }

  private func ask(_ target: String) throws -> RawResponse {
    let client = try RawClient(port: server.port)
    try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    return try client.response()
  }

  @Test func aRollbackReachesTheRunningServersClientsAtOnce() throws {
    let done = try channel("set", "courier", "stable", "--h5-version", "1.0", "--mandatory")
    #expect(done.status == 0 && done.output == "stable of courier points at 1.0\n", "\(done)")
    let answer = try ask("/games/courier/check?h5Version=1.1")
    #expect(answer.text.contains(#""reason":"rolled_back""#))
    #expect(answer.text.contains(#""mandatory":true"#))
  }

  @Test func aVersionIsYankedOnceNoChannelPointsAtIt() throws {
    let refused = try channel("yank", "courier", "1.1")
    #expect(refused.status == 65)
    #expect(
      refused.errors == "game-depot: stable of courier points at 1.1; point it at another version first\n")
    #expect(try channel("set", "courier", "stable", "--h5-version", "1.0").status == 0)
    #expect(try channel("yank", "courier", "1.1").output == "courier 1.1 is yanked\n")
    #expect(try ask("/games/courier/versions/1.1/package.zip").status == 410)
  }

  @Test func aRemovedGameIsGoneAndMirrorsAreTold() throws {
    #expect(try channel("remove", "courier").output == "courier is removed\n")
    #expect(try ask("/games/courier").status == 404)
    #expect(try ask("/games?since=1").text.contains(#""removed":["courier"]"#))
    #expect(try channel("remove", "courier").errors == "game-depot: no game courier is published\n")
  }

  @Test func whatCannotBeMeantIsTold() throws {
    #expect(try channel("set", "courier", "stable").status == 64)
    #expect(try channel("set", "courier", "no channel", "--h5-version", "1.0").status == 64)
    #expect(try channel("set", "../x", "stable", "--h5-version", "1.0").status == 64)
    #expect(try channel("yank", "courier", "9").status == 65)
    #expect(try channel("yank", "courier", "a b").status == 64)
    let nowhere = try Programs.run("game-depot", "channel", "remove", "courier", "--data", "/nonexistent")
    #expect(nowhere.status == 66, "\(nowhere)")
  }
}
