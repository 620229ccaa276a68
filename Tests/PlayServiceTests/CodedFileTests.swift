import DepotModel
import Foundation
import HTTPWire
import PlayService
import Testing
import ZipArchive

/// Files that were compressed when the game was built, and asked for by their own names.
@Suite struct CodedFileTests {
  private let mirror: MirrorFolder
  private let script = MirrorFolder.script
  private let zipped: [UInt8]

  init() throws {
    mirror = try MirrorFolder()
    zipped = try #require(Gzip.compress(script))
    try mirror.put(zipped, "Build/game.framework.js.gz")
    try mirror.put([0x6b, 1, 2, 3], "Build/game.wasm.br")
  }

  @Test func aFileUnderGzipIsWhatComesOutOfIt() async throws {
    let answer = try await mirror.answer(
      "/play/courier/Build/game.framework.js.gz", ["Accept-Encoding": "gzip, deflate"])
    #expect(answer.status == 200)
    #expect(answer.fields["Content-Encoding"] == "gzip")
    #expect(answer.fields["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(answer.fields["Vary"] == "Accept-Encoding")
    #expect(answer.bytes == zipped, "never compressed again")
  }

  @Test func aFileUnderBrotliIsWhatComesOutOfIt() async throws {
    let answer = try await mirror.answer("/play/courier/Build/game.wasm.br", ["Accept-Encoding": "gzip, br"])
    #expect(answer.fields["Content-Encoding"] == "br")
    #expect(answer.fields["Content-Type"] == "application/wasm")
    #expect(answer.bytes == [0x6b, 1, 2, 3])
  }

  /// A browser takes brotli only from hosts it trusts, tools often nothing: they get the file.
  @Test(arguments: [
    ("game.framework.js.gz", "br"), ("game.framework.js.gz", ""), ("game.framework.js.gz", "gzip;q=0"),
    ("game.wasm.br", "gzip, deflate"), ("game.wasm.br", "identity;q=1, *;q=0"),
  ])
  func aClientThatDoesNotTakeTheCodingGetsTheFile(_ name: String, _ accepted: String) async throws {
    let file = try await mirror.answer("/play/courier/Build/\(name)", ["Accept-Encoding": accepted])
    #expect(file.status == 200)
    #expect(file.fields["Content-Encoding"] == nil)
    #expect(file.fields["Content-Type"] == "application/octet-stream")
    #expect(file.fields["Vary"] == "Accept-Encoding")
    let coded = try await mirror.answer("/play/courier/Build/\(name)", ["Accept-Encoding": "gzip, br"])
    #expect(coded.bytes == file.bytes)
    #expect(coded.fields["ETag"] != file.fields["ETag"], "a cache must not take one for the other")
  }

  @Test func partsOfItAreOfTheCodedBytes() async throws {
    let part = try await mirror.answer(
      "/play/courier/Build/game.framework.js.gz", ["Accept-Encoding": "gzip", "Range": "bytes=2-3"])
    #expect(part.status == 206)
    #expect(part.bytes == Array(zipped[2...3]))
    #expect(part.fields["Content-Encoding"] == "gzip")
  }

  /// Some tools inflate what they download and keep its name.
  @Test func aFileThatIsNotUnderGzipIsSentAsWhatItIs() async throws {
    try mirror.put("let plain = 1", "plain.js.gz")
    try mirror.put("", "empty.js.gz")
    try mirror.put("", "empty.wasm.br")
    for (name, type) in [
      ("plain.js.gz", "text/javascript; charset=utf-8"), ("empty.js.gz", "text/javascript; charset=utf-8"),
      ("empty.wasm.br", "application/wasm"),
    ] {
      let answer = try await mirror.answer("/play/courier/\(name)", ["Accept-Encoding": "gzip, br"])
      #expect(answer.status == 200)
      #expect(answer.fields["Content-Encoding"] == nil, "\(name)")
      #expect(answer.fields["Content-Type"] == type)
    }
  }

  @Test(arguments: [0, 1, 2, 3, 10, 17, 30])
  func aFileThatIsCutOffBreaksNothing(_ count: Int) async throws {
    try mirror.put(Array(zipped[..<count]), "cut.js.gz")
    let answer = try await mirror.answer("/play/courier/cut.js.gz", ["Accept-Encoding": "gzip"])
    #expect(answer.status == 200)
    #expect(answer.bytes == Array(zipped[..<count]))
    #expect((answer.fields["Content-Encoding"] == "gzip") == (count >= 3))
  }

  @Test func unitysOwnEndingGoesByItsMark() async throws {
    try mirror.put([0x1f, 0x8b, 8, 0x10, 1, 2], "a.framework.js.unityweb")
    try mirror.put(
      [0x6b, 0x8d, 0] + Array("UnityWeb Compressed Content (brotli)".utf8) + [7], "a.wasm.unityweb")
    try mirror.put("UnityWebData1.0", "a.data.unityweb")
    for (name, type, coding) in [
      ("a.framework.js.unityweb", "text/javascript; charset=utf-8", "gzip"),
      ("a.wasm.unityweb", "application/wasm", "br"), ("a.data.unityweb", "application/octet-stream", nil),
    ] as [(String, String, String?)] {
      let answer = try await mirror.answer("/play/courier/\(name)", ["Accept-Encoding": "gzip, br"])
      #expect(answer.fields["Content-Encoding"] == coding, "\(name)")
      #expect(answer.fields["Content-Type"] == type)
    }
  }

  @Test func aGameThatInflatesByItselfGetsItsFiles() async throws {
    var settings = PlaySettings()
    settings.rawEncodings = [try #require(.init("courier"))]
    let mirror = try MirrorFolder(settings)
    try mirror.put(zipped, "a.js.gz")
    let answer = try await mirror.answer("/play/courier/a.js.gz", ["Accept-Encoding": "gzip, br"])
    #expect(answer.fields["Content-Encoding"] == nil)
    #expect(answer.fields["Content-Type"] == "application/octet-stream")
    #expect(answer.fields["Vary"] == nil)
    #expect(answer.bytes == zipped)
  }

  @Test func theBytesAreLookedAtOnce() async throws {
    let fields: KeyValuePairs = ["Accept-Encoding": "gzip"]
    #expect(try !mirror.isReady("/play/courier/Build/game.framework.js.gz", fields))
    _ = try await mirror.answer("/play/courier/Build/game.framework.js.gz", fields)
    #expect(try mirror.isReady("/play/courier/Build/game.framework.js.gz", fields))
    // Another file took its place: `verify --repair` does so.
    try mirror.put("let a = 1", "other")
    let file = "\(mirror.folder)/Build/game.framework.js.gz"
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: "\(mirror.folder)/other", toPath: file)
    let changed = try await mirror.answer("/play/courier/Build/game.framework.js.gz", fields)
    #expect(changed.fields["Content-Encoding"] == nil)
    #expect(changed.body == "let a = 1")
  }
}
