import DepotModel
import HTTPClient
import MirrorClient

/// What an honest depot answers, with members put in the place of its own.
enum Honest {
  static let plain = known(WebURL("http://127.0.0.1:8080"))
  static let secure = known(WebURL("https://depot.example"))

  /// What this file spells out is sound.
  private static func known<Value>(_ value: Value?) -> Value {
    guard let value else { fatalError("an honest value that is none") }
    return value
  }

  private static let md5 = String(repeating: "0f", count: 16)
  private static let sha256 = String(repeating: "1e", count: 32)

  /// The package that everything is asked about.
  static let release = Release(
    id: known(GameID("game")), title: "Game", version: known(H5Version("1.0")), url: plain,
    sha256: known(SHA256Digest(hex: sha256)), md5: known(MD5Digest(hex: md5)), size: 200_000,
    publishedAt: known(Timestamp("2026-03-01T12:00:00Z")))

  private static let game: [(name: String, value: String)] = [
    ("gameId", #""game""#), ("title", #""Game""#), ("h5Version", #""1.0""#),
    ("h5Down", #""https://depot.example/games/game/versions/1.0/package.zip""#), ("h5Md5", #""\#(md5)""#),
    ("h5Sha256", #""\#(sha256)""#), ("h5Size", "200000"), ("publishedAt", #""2026-03-01T12:00:00Z""#),
    ("mandatory", "false"), ("minHostVersion", "null"), ("channel", #""stable""#), ("notes", "null"),
  ]

  static func listing(_ input: [UInt8]) -> [UInt8] {
    var lines = Lines(input)
    let games = "[\(lines.object(game)),\(lines.object(game))]"
    return Array(
      lines.object([
        ("catalogue", #""c0ffee00-0000-4000-8000-000000000000""#), ("revision", "7"), ("games", games),
        ("next", "null"),
      ]).utf8)
  }

  static func changes(_ input: [UInt8]) -> [UInt8] {
    var lines = Lines(input)
    let games = "[\(lines.object(game))]"
    return Array(
      lines.object([
        ("revision", "7"), ("removed", #"["gone"]"#), ("changed", games), ("next", "null"),
      ]).utf8)
  }

  static func delta(_ input: [UInt8]) -> [UInt8] {
    var lines = Lines(input)
    let index = lines.object([("url", #""index""#), ("size", "500"), ("sha256", #""\#(sha256)""#)])
    let blocks = lines.object([("url", #""blocks""#), ("size", "200"), ("blockSize", "4096")])
    return Array(
      lines.object([
        ("root", #""""#), ("namesEncoding", #""utf-8""#), ("unpackedSize", "400000"), ("fileCount", "3"),
        ("encrypted", "false"), ("index", index), ("blocks", blocks), ("h5Version", #""1.0""#),
        ("h5Sha256", #""\#(sha256)""#), ("h5Md5", #""\#(md5)""#), ("h5Size", "200000"),
      ]).utf8)
  }

  static func manifest(_ input: [UInt8]) -> [UInt8] {
    var lines = Lines(input)
    return Array(
      lines.object([
        ("root", #""""#), ("namesEncoding", #""utf-8""#), ("unpackedSize", "400000"),
        ("files", #"[{"encrypted":false},{}]"#), ("blockSize", "131072"),
        ("blocks", #"["\#(sha256)","\#(sha256)"]"#), ("gameId", #""game""#), ("h5Version", #""1.0""#),
        ("h5Sha256", #""\#(sha256)""#), ("h5Size", "200000"),
      ]).utf8)
  }

  /// The lines of an input, each in the place of one member.
  private struct Lines {
    private var rest: ArraySlice<ArraySlice<UInt8>>

    init(_ input: [UInt8]) {
      rest = input.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    }

    mutating func object(_ members: [(name: String, value: String)]) -> String {
      let said = members.map { member in
        let line = rest.popFirst() ?? []
        return "\"\(member.name)\":\(line.isEmpty ? member.value : String(decoding: line, as: UTF8.self))"
      }
      return "{\(said.joined(separator: ","))}"
    }
  }
}
