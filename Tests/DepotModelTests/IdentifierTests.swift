import DepotModel
import Testing

@Suite struct IdentifierTests {
  @Test(arguments: ["a", "7", "Snake-2.0_final", "checks", "Check", "uploads2", "a..b", "con", "A"])
  func readsGameID(_ text: String) throws {
    #expect(try #require(GameID(text)).description == text)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "_private", "-dash", "check", "uploads", "a/b", "a b", "a+b", "é", "ａ",
    "a\u{0}", "a\n", "a\\b", "a%2Fb", "e\u{301}", "\u{212A}elvin",
  ])
  func refusesGameID(_ text: String) {
    #expect(GameID(text) == nil)
  }

  @Test func boundsLengths() {
    #expect(GameID(String(repeating: "a", count: 128)) != nil)
    #expect(GameID(String(repeating: "a", count: 129)) == nil)
    #expect(H5Version(String(repeating: "1", count: 64)) != nil)
    #expect(H5Version(String(repeating: "1", count: 65)) == nil)
    #expect(ChannelName(String(repeating: "s", count: 32)) != nil)
    #expect(ChannelName(String(repeating: "s", count: 33)) == nil)
  }

  @Test(arguments: ["1", "1.0.0", "1.0+build.5", "v2_rc-1", "20261130", "latest", "check"])
  func readsVersion(_ text: String) throws {
    #expect(try #require(H5Version(text)).description == text)
  }

  @Test(arguments: ["", "+1", ".1", "-1", "_1", "1/2", "1 ", " 1", "1\t", "1.0~rc", "１", "..", "1:2"])
  func refusesVersion(_ text: String) {
    #expect(H5Version(text) == nil)
  }

  @Test func allowsPlusInVersionsOnly() {
    #expect(H5Version("1+2") != nil)
    #expect(GameID("a+b") == nil)
    #expect(ChannelName("a+b") == nil)
  }

  @Test func namesTheDefaultChannel() {
    #expect(ChannelName.stable == ChannelName("stable"))
    #expect(ChannelName("Stable") != .stable)
    #expect(ChannelName("_x") == nil)
    #expect(ChannelName("")?.description == nil)
  }

  @Test func foldsASCIILetters() throws {
    #expect(try #require(GameID("SnAkE-2.Z")).folded == "snake-2.z")
  }

  @Test func ordersGamesByBytes() throws {
    let ids = try ["b", "B", "a", "a-b", "a.b", "a0", "aA", "a_"].map { try #require(GameID($0)) }
    #expect(ids.sorted().map(\.text) == ["B", "a", "a-b", "a.b", "a0", "aA", "a_", "b"])
  }
}
