import DepotModel
import Foundation
import Testing

@Suite struct JSONTests {
  private let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  private let md5 = "d41d8cd98f00b204e9800998ecf8427e"

  private func game() throws -> Game {
    Game(
      gameId: try #require(GameID("snake")), title: "Snake \"蛇\"",
      h5Version: try #require(H5Version("1.0+2")),
      h5Down: "https://depot.test/games/snake/versions/1.0+2/package.zip",
      h5Md5: try #require(MD5Digest(hex: md5)), h5Sha256: try #require(SHA256Digest(hex: sha256)),
      h5Size: 9_007_199_254_740_993, publishedAt: Timestamp(seconds: 0), mandatory: false,
      minHostVersion: nil, channel: nil, notes: nil)
  }

  @Test func writesGameInTheContractsNamesWithNulls() throws {
    let expected = """
      {"channel":null,"gameId":"snake","h5Down":"https://depot.test/games/snake/versions/1.0+2/package.zip",\
      "h5Md5":"\(md5)","h5Sha256":"\(sha256)","h5Size":9007199254740993,"h5Version":"1.0+2",\
      "mandatory":false,"minHostVersion":null,"notes":null,"publishedAt":"1970-01-01T00:00:00Z",\
      "title":"Snake \\"蛇\\""}
      """
    #expect(String(decoding: try JSON.encode(try game()), as: UTF8.self) == expected)
  }

  @Test func readsWhatItWrites() throws {
    var game = try game()
    #expect(try JSON.decode(Game.self, from: try JSON.encode(game)) == game)
    game.channel = .stable
    game.notes = "a\u{0}b / \u{1F40D}"
    game.minHostVersion = "2.0"
    #expect(try JSON.decode(Game.self, from: try JSON.encode(game)) == game)
  }

  @Test func takesAnAbsentMemberForNull() throws {
    var text = String(decoding: try JSON.encode(try game()), as: UTF8.self)
    for member in ["\"channel\":null,", "\"minHostVersion\":null,", "\"notes\":null,"] {
      text = text.replacingOccurrences(of: member, with: "")
    }
    #expect(try JSON.decode(Game.self, from: Array(text.utf8)) == (try game()))
  }

  @Test func writesManifestWithNullDigestsOfEncryptedFiles() throws {
    let plain = try #require(SHA256Digest(hex: sha256))
    let file = Manifest.File(
      path: "index.html", size: 1, sha256: nil, md5: nil, crc32: "00000000", method: 8, compressedSize: 1,
      headerOffset: 0, dataOffset: 40, compressedSha256: plain, encrypted: true)
    let manifest = Manifest(
      game: try game(), root: "game/", namesEncoding: "utf-8", unpackedSize: 1, blockSize: 1 << 20,
      blocks: [plain], files: [file], ignored: [.init(path: "__MACOSX/x", reason: "junk")])
    let bytes = try JSON.encode(manifest)
    #expect(try JSON.decode(Manifest.self, from: bytes) == manifest)
    let text = String(decoding: bytes, as: UTF8.self)
    for member in [
      #""sha256":null"#, #""md5":null"#, #""minHostVersion":null"#, #""notes":null"#, #""encrypted":true"#,
      #""blockSize":1048576"#, #""blocks":["\#(sha256)"]"#, #""root":"game/""#,
      #""ignored":[{"path":"__MACOSX/x","reason":"junk"}]"#,
    ] {
      #expect(text.contains(member), "\(member)")
    }
    #expect(!text.contains("channel"))
  }

  @Test(arguments: [
    #""../x""#, #""check""#, "7", "null", "{}", "[]", "", "\"a", #""a" x"#,
  ])
  func refusesWhatIsNoGameID(_ text: String) {
    #expect(throws: DecodingError.self) { try JSON.decode(GameID.self, from: Array(text.utf8)) }
  }

  @Test func saysWhatWasRefusedAndWhere() throws {
    struct Installed: Decodable { var gameId: GameID }
    do {
      _ = try JSON.decode([Installed].self, from: Array(#"[{"gameId":"ok"},{"gameId":".no"}]"#.utf8))
      Issue.record("decoded")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.codingPath.map(\.stringValue) == ["Index 1", "gameId"])
      #expect(context.debugDescription == #"".no" is not a GameID"#)
    }
  }

  @Test func readsEveryWordAsOneString() throws {
    let words = #"["1.0+2","beta","2026-11-30T12:00:00Z"]"#
    #expect(try JSON.decode([H5Version].self, from: Array(#"["1.0+2"]"#.utf8)).first == H5Version("1.0+2"))
    #expect(try JSON.decode([String].self, from: Array(words.utf8)).count == 3)
    #expect(try JSON.decode([ChannelName].self, from: Array(#"["beta"]"#.utf8)) == [ChannelName("beta")])
    let hex = Array("[\"\(md5.uppercased())\"]".utf8)
    #expect(try JSON.decode([MD5Digest].self, from: hex) == [MD5Digest(hex: md5)])
    #expect(throws: DecodingError.self) { try JSON.decode([Timestamp].self, from: Array(#"["now"]"#.utf8)) }
  }

  @Test func refusesTextThatIsNotUTF8() {
    #expect(throws: (any Error).self) {
      try JSON.decode([String].self, from: [0x5B, 0x22, 0xFF, 0x22, 0x5D])
    }
  }
}
