import Catalogue
import DepotModel
import SQLite
import Testing

@Suite struct TokenTests {
  private let fixture: Fixture
  private var catalogue: Catalogue { fixture.catalogue }

  init() throws { fixture = try Fixture() }

  private func hash(_ seed: UInt8) -> [UInt8] { Array(repeating: seed, count: 32) }

  @Test func findsATokenByItsHash() throws {
    try catalogue.createToken(name: "ci", scope: .publish, expiresAt: nil, hash: hash(1))
    let record = try #require(try catalogue.token(matching: hash(1)))
    #expect(record.name == "ci" && record.scope == .publish && record.hash == hash(1))
    #expect(record.createdAt == fixture.clock.now)
    #expect(record.expiresAt == nil && record.revokedAt == nil)
    #expect(try catalogue.token(matching: hash(2)) == nil)
    #expect(try catalogue.token(matching: []) == nil)
    #expect(try catalogue.tokens() == [record])
  }

  @Test func refusesATokenFromItsExpiryOn() throws {
    try catalogue.createToken(
      name: "ci", scope: .read, expiresAt: Timestamp(seconds: 1_000_060), hash: hash(1))
    fixture.clock.set(1_000_059)
    #expect(try catalogue.token(matching: hash(1)) != nil)
    fixture.clock.set(1_000_060)
    #expect(try catalogue.token(matching: hash(1)) == nil)
    #expect(try catalogue.tokens().count == 1)
  }

  @Test func refusesARevokedTokenEverywhereAtOnce() throws {
    let other = try fixture.another()
    try catalogue.createToken(name: "ci", scope: .admin, expiresAt: nil, hash: hash(1))
    #expect(try other.token(matching: hash(1)) != nil)
    let before = try catalogue.changeToken()
    #expect(try other.revokeToken(name: "ci", actor: "ops"))
    #expect(try catalogue.changeToken() != before)
    #expect(try catalogue.token(matching: hash(1)) == nil)
    #expect(try catalogue.tokens().map(\.revokedAt) == [fixture.clock.now])
    #expect(try !catalogue.revokeToken(name: "ci"))
    #expect(try !catalogue.revokeToken(name: "none"))
  }

  @Test func givesANameToOneActiveToken() throws {
    try catalogue.createToken(
      name: "ci", scope: .read, expiresAt: Timestamp(seconds: 1_000_010), hash: hash(1))
    #expect(throws: CatalogueError.tokenNameTaken("ci")) {
      try catalogue.createToken(name: "ci", scope: .read, expiresAt: nil, hash: hash(2))
    }
    try catalogue.createToken(name: "CI", scope: .read, expiresAt: nil, hash: hash(3))
    fixture.clock.set(1_000_010)
    try catalogue.createToken(name: "ci", scope: .read, expiresAt: nil, hash: hash(2))
    try catalogue.revokeToken(name: "ci")
    try catalogue.createToken(name: "ci", scope: .admin, expiresAt: nil, hash: hash(4))
    #expect(try catalogue.tokens().map(\.name) == ["ci", "CI", "ci", "ci"])
    #expect(try catalogue.token(matching: hash(4))?.scope == .admin)
    #expect(try catalogue.token(matching: hash(2)) == nil)
  }

  @Test func refusesAHashOfAnotherLengthOrUsedTwice() throws {
    try catalogue.createToken(name: "a", scope: .read, expiresAt: nil, hash: hash(1))
    for (name, hash) in [("b", [1, 2, 3]), ("c", hash(1))] {
      let error = #expect(throws: CatalogueError.self) {
        try catalogue.createToken(name: name, scope: .read, expiresAt: nil, hash: hash)
      }
      guard case .storage(let cause) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(cause.isConstraint)
    }
    #expect(try catalogue.tokens().count == 1)
  }

  @Test func keepsTheGamesThatATokenIsFor() throws {
    try catalogue.createToken(
      name: "ci", scope: .publish, games: [game("snake"), game("pong")], expiresAt: nil, hash: hash(1))
    try catalogue.createToken(name: "all", scope: .publish, expiresAt: nil, hash: hash(2))
    #expect(try catalogue.token(matching: hash(1))?.games == [game("pong"), game("snake")])
    #expect(try catalogue.token(matching: hash(2))?.games == nil)
    #expect(try fixture.audit().first == "cli create-token ci - - publish pong snake")
  }

  @Test func notesUsesAndNeverAnEarlierOne() throws {
    try catalogue.createToken(name: "ci", scope: .read, expiresAt: nil, hash: hash(1))
    let id = try #require(try catalogue.token(matching: hash(1))?.id)
    try catalogue.noteTokenUses([id: Timestamp(seconds: 500), 99: Timestamp(seconds: 1)])
    #expect(try catalogue.tokens().map(\.lastUsedAt?.seconds) == [500])
    try catalogue.noteTokenUses([id: Timestamp(seconds: 400)])
    #expect(try catalogue.tokens().map(\.lastUsedAt?.seconds) == [500])
  }

  @Test func orderScopes() {
    let allowed = TokenScope.allCases.map { scope in TokenScope.allCases.filter { scope.includes($0) } }
    #expect(allowed == [[.read], [.read, .publish], [.read, .publish, .admin]])
  }

  @Test func writesNamesOnlyIntoTheAuditLog() throws {
    try catalogue.createToken(name: "ci", scope: .publish, expiresAt: nil, hash: hash(1))
    try catalogue.revokeToken(name: "ci", actor: "ops")
    #expect(try fixture.audit() == ["cli create-token ci - - publish", "ops revoke-token ci - - -"])
  }
}
