import Testing

@testable import DepotService

@Suite struct ImportNameTests {
  @Test(arguments: [
    ("courier-1.0.0", "courier", "1.0.0"), ("deep-courier-1.0.0", "deep-courier", "1.0.0"),
    ("game-2d-1.0", "game-2d", "1.0"), ("courier-1.0.0-beta.1", "courier", "1.0.0-beta.1"),
    ("courier-7", "courier", "7"), ("courier-v2", "courier", "v2"), ("maze-v2-beta", "maze", "v2-beta"),
    ("a-b-c", "a-b", "c"), ("nameless", "nameless", ""), ("-1.0", "", "1.0"), ("x-", "x", ""),
  ])
  func splitsAtTheVersion(name: String, id: String, version: String) {
    #expect(ImportName(name).id == id)
    #expect(ImportName(name).version == version)
  }

  @Test func ordersVersionsByTheirNumbers() {
    let sorted = ["1.10", "1.9", "1.9.1", "2.0-beta", "1", "2.0", "2.0-rc.1", "10", "1.0"]
      .sorted(by: VersionOrder.precedes)
    #expect(sorted == ["1", "1.0", "1.9", "1.9.1", "1.10", "2.0-beta", "2.0-rc.1", "2.0", "10"])
  }

  @Test func neverSaysThatAVersionPrecedesItself() {
    for version in ["1.0", "a", "1.0-beta", "99999999999999999999.1"] {
      #expect(!VersionOrder.precedes(version, version))
    }
  }
}
