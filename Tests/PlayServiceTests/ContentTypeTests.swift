import HTTPWire
import Testing

@testable import PlayService

@Suite struct ContentTypeTests {
  @Test(arguments: [
    ("text/html; charset=utf-8", "html htm"), ("text/javascript; charset=utf-8", "js mjs"),
    ("application/wasm", "wasm"), ("application/json", "json"), ("text/css; charset=utf-8", "css"),
    ("image/svg+xml", "svg"), ("text/xml; charset=utf-8", "xml plist tmx"),
    ("text/plain; charset=utf-8", "txt atlas fnt"), ("image/png", "png"), ("image/jpeg", "jpg jpeg"),
    ("image/webp", "webp"), ("image/avif", "avif"), ("image/gif", "gif"), ("image/x-icon", "ico"),
    ("image/bmp", "bmp"), ("image/ktx", "ktx"), ("image/ktx2", "ktx2"), ("image/vnd-ms.dds", "dds"),
    ("image/astc", "astc"), ("audio/mpeg", "mp3"), ("audio/ogg", "ogg oga opus"), ("audio/mp4", "m4a"),
    ("audio/aac", "aac"), ("audio/wav", "wav"), ("audio/flac", "flac"), ("audio/webm", "weba"),
    ("video/mp4", "mp4"), ("video/webm", "webm"), ("font/woff2", "woff2"), ("font/woff", "woff"),
    ("font/ttf", "ttf"), ("font/otf", "otf"), ("model/gltf-binary", "glb"), ("model/gltf+json", "gltf"),
    ("application/octet-stream", "pck data bundle bin mem unityweb basis exe x"),
  ])
  func knowsWhatEnginesMake(_ type: String, _ endings: String) {
    for ending in endings.split(separator: " ") {
      #expect(ContentType.of(path: "a.b/file.\(ending)") == type)
      #expect(ContentType.of(path: "file.\(ending.uppercased())") == type)
    }
  }

  @Test(arguments: ["", "file", "js", "folder.js/file", "file.", "file.js.", ".js/", "文件。js", "js.\u{301}"])
  func takesWhatHasNoEndingForBytes(_ path: String) {
    #expect(ContentType.of(path: path) == "application/octet-stream")
  }

  @Test(arguments: [
    ("a.js", true), ("a.json", true), ("a.svg", true), ("a.gltf", true), ("a.webmanifest", true),
    ("a.wasm", false), ("a.png", false), ("a", false), ("a.ogg", false),
  ])
  func knowsWhatIsText(_ path: String, _ isText: Bool) {
    #expect(ContentType.isText(ContentType.of(path: path)) == isText)
  }

  @Test(arguments: [
    ("build/game.framework.js.gz", CodedName.Promise.gzip, "text/javascript; charset=utf-8"),
    ("build/game.wasm.br", .brotli, "application/wasm"), ("game.data.gz", .gzip, "application/octet-stream"),
    ("GAME.JS.GZ", .gzip, "text/javascript; charset=utf-8"), ("level.json.gz", .gzip, "application/json"),
    ("game.framework.js.unityweb", .unity, "text/javascript; charset=utf-8"),
    ("game.wasm.unityweb", .unity, "application/wasm"),
    ("game.data.unityweb", .unity, "application/octet-stream"),
    ("game.wasm.code.unityweb", .unity, "application/wasm"),
    ("game.wasm.framework.unityweb", .unity, "text/javascript; charset=utf-8"),
    ("game.asm.code.unityweb", .unity, "text/javascript; charset=utf-8"),
    ("game.asm.memory.unityweb", .unity, "application/octet-stream"),
    ("Release/game.jsgz", .gzip, "text/javascript; charset=utf-8"),
    ("Release/game.datagz", .gzip, "application/octet-stream"),
    ("Release/game.memgz", .gzip, "application/octet-stream"), ("map.svgz", .gzip, "image/svg+xml"),
    ("archive.gz", .gzip, "application/octet-stream"), (".gz", .gzip, "application/octet-stream"),
  ])
  func readsNamesThatPromiseACoding(_ path: String, _ promise: CodedName.Promise, _ type: String) throws {
    let name = try #require(CodedName(path: path))
    #expect(name.promise == promise)
    #expect(name.type == type)
  }

  @Test(arguments: ["game.js", "gz", "game.gz/file", "game.tgz", "game.gz.txt", "unityweb"])
  func readsNoPromiseIntoOthers(_ path: String) { #expect(CodedName(path: path) == nil) }

  @Test func knowsUnitysMarks() {
    let comment = Array("UnityWeb Compressed Content (brotli)".utf8)
    let brotli: [UInt8] = [0x6b, 0x8d, 0x00] + comment + [1, 2, 3]
    #expect(CodedBytes.coding(of: brotli, promised: .unity) == .brotli)
    #expect(CodedBytes.coding(of: [0x1f, 0x8b, 8, 0x10], promised: .unity) == .gzip)
    #expect(CodedBytes.coding(of: [0x6d] + brotli.dropFirst(), promised: .unity) == .brotli, "another window")
    // Cut off, no window, another length of the comment, plain.
    for count in 0..<39 { #expect(CodedBytes.coding(of: Array(brotli[..<count]), promised: .unity) == nil) }
    #expect(CodedBytes.coding(of: [0x11] + brotli.dropFirst(), promised: .unity) == nil)
    #expect(CodedBytes.coding(of: [0x6b, 0x8e] + brotli.dropFirst(2), promised: .unity) == nil)
    #expect(CodedBytes.coding(of: Array("UnityFS".utf8), promised: .unity) == nil)
  }

  @Test func believesNoNameThatTheBytesBelie() {
    #expect(CodedBytes.coding(of: Array("var a".utf8), promised: .gzip) == nil)
    #expect(CodedBytes.coding(of: [0x1f, 0x8b], promised: .gzip) == nil)
    #expect(CodedBytes.coding(of: [], promised: .gzip) == nil)
    #expect(CodedBytes.coding(of: [], promised: .brotli) == nil)
    // 2188 bytes in one meta-block of a 24-bit window: brotli, though it begins as gzip does.
    #expect(CodedBytes.coding(of: [0x1f, 0x8b, 8], promised: .brotli) == .brotli)
  }
}
