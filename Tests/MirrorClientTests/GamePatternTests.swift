import DepotModel
import MirrorClient
import Testing

@Suite struct GamePatternTests {
  @Test(arguments: [
    ("puzzle", "puzzle"), ("*", "a"), ("puzzle-*", "puzzle-"), ("puzzle-*", "puzzle-42"),
    ("*-beta", "x-beta"),
    ("*a*b*c", "xxabbabc"), ("a**b", "ab"), ("?", "a"), ("a?c", "abc"), ("[abc]1", "b1"), ("v[0-9]", "v7"),
    ("v[!0-9]", "va"), ("v[^0-9a]", "vb"), ("[a-]", "a"), ("x[a-]", "x-"), ("x[-a]", "x-"),
    ("*.min.*", "game.min.js"), ("A_b", "A_b"),
  ])
  func matches(pattern: String, id: String) throws {
    #expect(try #require(GamePattern(pattern)).matches(#require(GameID(id))))
  }

  @Test(arguments: [
    ("puzzle", "puzzle2"), ("puzzle", "Puzzle"), ("?", "ab"), ("a?", "a"), ("*a", "ab"), ("[abc]", "d"),
    ("v[0-9]", "v"), ("v[!0-9]", "v3"), ("a*b*c", "acb"), ("puzzle-*", "puzzle"), ("[a-c]x", "Bx"),
  ])
  func doesNotMatch(pattern: String, id: String) throws {
    #expect(try !#require(GamePattern(pattern)).matches(#require(GameID(id))))
  }

  @Test(arguments: [
    "", "[", "[]", "[!]", "[a", "a[", "[z-a]", "a/b", "a b", "a,b", "é", "[/]", "{a,b}", "\\*",
    String(repeating: "a", count: 257),
  ])
  func refusesWhatCouldNeverMatch(pattern: String) {
    #expect(GamePattern(pattern) == nil)
  }

  /// Backtracking that nests would take years for this one.
  @Test func manyStarsTakeNoTime() throws {
    let pattern = try #require(GamePattern(String(repeating: "a*", count: 60) + "b"))
    let id = try #require(GameID(String(repeating: "a", count: 128)))
    #expect(!pattern.matches(id))
  }
}
