import Foundation
import TestSupport
import Testing

/// A depot that nobody reads without a token, and its people.
@Suite struct ClosedDepotTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  private func depot(_ words: String...) throws -> Programs.Result {
    try Programs.run("game-depot", words + ["--data", workshop.depot])
  }

  @Test func aMirrorWithATokenIsInStepAndOneWithoutIsRefused() throws {
    let server = try workshop.serve("--require-read-token")
    for (version, text) in [("1", "one"), ("2", "two")] {
      let zip = try workshop.zip(
        version, ["index.html": text, "same.txt": String(repeating: "long ", count: 9000)])
      #expect(try workshop.publish(zip, "courier", version, to: server.url).status == 0)
      let refused = try workshop.sync(server.url)
      #expect(refused.status == 77, "\(refused)")
      let created = try depot("token", "create", "--name", "mirror-\(version)", "--scope", "read")
      let file = "\(workshop.folder.path)/mirror-token"
      try created.output.write(toFile: file, atomically: true, encoding: .utf8)
      let sync = try workshop.sync(server.url, "--token-file", file)
      #expect(sync.status == 0, "\(sync)")
      #expect(workshop.installed("courier/current/index.html") == text)
      #expect(try depot("token", "revoke", "mirror-\(version)").status == 0)
      #expect(try workshop.sync(server.url, "--token-file", file).status == 77, "with the very next request")
    }
    #expect(try Programs.run("game-depot", "healthcheck", server.url).status == 0)
    #expect(server.stop() == 0)
    let list = try depot("token", "list").output
    #expect(list.split(separator: "\n").contains { $0.hasPrefix("tests ") && !$0.contains(" never  active") })
  }

  @Test func aTokenForOneGamePublishesNoOther() throws {
    let server = try workshop.serve()
    let created = try depot("token", "create", "--name", "ci", "--scope", "publish", "--game", "ours")
    try created.output.write(toFile: workshop.tokenFile, atomically: true, encoding: .utf8)
    let zip = try workshop.zip("game", ["index.html": "x"])
    #expect(try workshop.publish(zip, "ours", "1", to: server.url).status == 0)
    let refused = try workshop.publish(zip, "other", "1", to: server.url)
    #expect(refused.status == 77)
    #expect(refused.errors.contains("may publish ours"), "\(refused)")
    #expect(try depot("token", "create", "--name", "x", "--scope", "admin", "--game", "a").status == 64)
    let audit = try depot("audit", "--actor", "ci")
    #expect(audit.output.contains("127.0.0.1"), "\(audit)")
    #expect(audit.output.split(separator: "\n").count == 2)
    let json = try depot("audit", "--game", "ours", "--json")
    #expect(json.output.contains(#""action":"publish""#))
  }
}
