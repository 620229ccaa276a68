import DepotModel
import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

@testable import PlayService

@Suite struct HostPolicyTests {
  private final class Machine: Sendable {
    let addresses = Mutex(["192.168.1.5", "fe80::1", "2001:db8::5", "127.0.0.1"])
    let looks = Mutex(0)

    func policy(_ allowed: [String] = [], name: String? = "Kiosk.example") -> HostPolicy {
      HostPolicy(allowing: allowed, hostName: name, now: 0) { [self] in
        looks.withLock { $0 += 1 }
        return addresses.withLock { $0.compactMap { SocketAddress(host: $0, port: 0) } }
      }
    }
  }

  private let machine = Machine()

  private func meaning(_ host: String, _ policy: HostPolicy, now: Int64 = 0) throws -> HostPolicy.Meaning {
    policy.meaning(of: try request("GET", "/", ["Host": host]), now: now)
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8081", "localhost.", "localhost.:80", "127.0.0.1", "127.0.0.1:8081", "127.8.9.1",
    "[::1]", "[::1]:8081", "[0:0:0:0:0:0:0:1]:1", "0.0.0.0:8081", "[::]:8081", "192.168.1.5:8081",
    "[2001:db8::5]:8081", "[2001:DB8:0::5]", "[fe80::1]", "[::ffff:192.168.1.5]", "[::ffff:127.0.0.1]",
    "kiosk", "KIOSK.local:8081", "kiosk.example", "Kiosk.Example.:8081",
  ])
  func theMachinesOwnNamesAndAddressesAreThisServer(_ host: String) throws {
    #expect(try meaning(host, machine.policy()) == .site)
  }

  @Test(arguments: [
    "attacker.example", "localhost.attacker.example", "127.0.0.1.attacker.example", "192.168.1.6",
    "192.168.1.50", "[2001:db8::6]", "notlocalhost", "xlocalhost:8081", "kiosk.local.attacker.example",
    "2130706433", "0x7f000001", "127.1", "kiosk.localdomain", "%6cocalhost", "localhost..", "example",
  ])
  func everybodyElseIsAStranger(_ host: String) throws {
    #expect(try meaning(host, machine.policy()) == .stranger)
  }

  @Test(arguments: [
    ("courier.localhost:8081", "courier"), ("Deep-Courier.LOCALHOST", "deep-courier"),
    ("a.b.localhost", "a.b"), (".localhost", ""), ("courier.localhost.", "courier"),
  ])
  func whatStandsBeforeLocalhostIsAGame(_ host: String, _ label: String) throws {
    #expect(try meaning(host, machine.policy()) == .game(label: label))
  }

  @Test func whoIsAllowedIsThisServerToo() throws {
    let policy = machine.policy(["Games.Example", "10.0.0.7", "[2001:db8::9]", "2001:db8::A"])
    for host in ["games.example:443", "GAMES.example.", "10.0.0.7:80", "[2001:db8::9]", "[2001:db8::a]:1"] {
      #expect(try meaning(host, policy) == .site, "\(host)")
    }
    for host in ["x.games.example", "games.example.attacker.example", "10.0.0.8"] {
      #expect(try meaning(host, policy) == .stranger, "\(host)")
    }
  }

  /// A laptop that joins another network while games are served.
  @Test func anAddressThatIsNewIsLookedForNowAndThen() throws {
    let policy = machine.policy()
    #expect(try meaning("10.1.1.1", policy, now: 1999) == .stranger)
    #expect(try meaning("10.1.1.1", policy, now: 2000) == .unknownAddress)
    machine.addresses.withLock { $0 = ["10.1.1.1"] }
    policy.refresh(now: 2000)
    #expect(try meaning("10.1.1.1", policy, now: 2000) == .site)
    #expect(try meaning("192.168.1.5", policy, now: 3999) == .stranger)
    #expect(try meaning("attacker.example", policy, now: 9999) == .stranger, "a name needs no look")
    #expect(machine.looks.withLock { $0 } == 2)
  }

  @Test func theTargetComesBeforeTheHost() throws {
    let policy = machine.policy()
    let evil = try request(wire: "GET http://attacker.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(policy.meaning(of: evil, now: 0) == .stranger)
    let good = try request(wire: "GET http://localhost/ HTTP/1.1\r\nHost: attacker.example\r\n\r\n")
    #expect(policy.meaning(of: good, now: 0) == .site)
  }

  @Test func aClientOfOldNeedsNoHost() throws {
    let old = try request(wire: "GET / HTTP/1.0\r\n\r\n")
    #expect(machine.policy().meaning(of: old, now: 0) == .site)
    let named = try request(wire: "GET / HTTP/1.0\r\nHost: attacker.example\r\n\r\n")
    #expect(machine.policy().meaning(of: named, now: 0) == .stranger)
  }

  @Test func aMachineWithoutANameHasNone() throws {
    #expect(try meaning(".local", machine.policy(name: "")) == .stranger)
    #expect(try meaning("local", machine.policy(name: nil)) == .stranger)
  }

  // MARK: Through the handler

  private let mirror: MirrorFolder

  init() throws { mirror = try MirrorFolder() }

  @Test(arguments: ["/", "/play/courier/", "/play/courier/index.html", "/nothing"])
  func aStrangerGetsNothingButWords(_ target: String) async throws {
    let answer = try await mirror.answer(target, ["Host": "attacker.example:8081"])
    #expect(answer.status == 421)
    #expect(answer.body.contains("--allow-host"))
    #expect(!answer.body.contains("<h1>"))
    #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
    #expect(try await mirror.answer(target, method: "POST", ["Host": "attacker.example"]).status == 421)
  }

  @Test func aGameHasAnOriginOfItsOwn() async throws {
    try mirror.install("Deep-Courier")
    for (host, page) in [
      ("courier.localhost:8081", "<h1>new</h1>"), ("deep-courier.localhost", "<h1>other</h1>"),
    ] {
      #expect(try await mirror.answer("/", ["Host": host]).body == page)
      #expect(try await mirror.answer("/index.html", ["Host": host]).body == page)
      #expect(try await mirror.answer("/play/courier/", ["Host": host]).status == 404)
    }
  }

  @Test func aGameThatComesAndGoesIsSeen() async throws {
    let host: KeyValuePairs = ["Host": "later.localhost"]
    #expect(try await mirror.answer("/", host).status == 404)
    try mirror.install("later")
    #expect(try await mirror.answer("/", host).status == 200)
    try mirror.flip("later", to: "elsewhere")
    #expect(try await mirror.answer("/", host).status == 404)
  }

  @Test(arguments: ["nobody", "a.b", "", "empty", "under_score", "check", String(repeating: "a", count: 64)])
  func anotherNameThereIsNobody(_ label: String) async throws {
    try? mirror.install("under_score")
    try? mirror.install(String(repeating: "a", count: 64))
    let answer = try await mirror.answer("/", ["Host": "\(label).localhost"])
    #expect(answer.status == 404)
    #expect(!answer.body.contains("<h1>"))
  }
}
