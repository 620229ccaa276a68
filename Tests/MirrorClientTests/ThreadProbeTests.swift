import Foundation
import Platform
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct ThreadProbeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func needsThreads(_ files: [String: String]) throws -> Bool {
    for (name, text) in files {
      try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
    }
    return ThreadProbe.needsThreads(files.keys.sorted(), in: try Directory(path: folder.path))
  }

  @Test(arguments: [
    "const memory = new SharedArrayBuffer(1024);",
    "if (!window.SharedArrayBuffer) fail();",
    "if (!crossOriginIsolated) location.reload();",
    "var ENVIRONMENT_IS_PTHREAD=self.name?.startsWith('em-pthread');",
    #"new Worker(url,{name:"em-pthread-"+id})"#,
    "typeof SharedArrayBuffer; new SharedArrayBuffer(8)",
  ])
  func threadsAreFoundInScripts(text: String) throws {
    #expect(try needsThreads(["index.html": "<script src=game.js></script>", "game.js": text]))
    #expect(try needsThreads(["index.html": "<script>\(text)</script>"]))
  }

  @Test(arguments: [
    "typeof SharedArrayBuffer !== 'undefined'", "x instanceof SharedArrayBuffer",
    #"["ArrayBuffer", "SharedArrayBuffer"]"#, "typeof self.SharedArrayBuffer",
    "tag === '[object SharedArrayBuffer]'", "SharedArrayBuffe", "", "pthread",
  ])
  func aLibraryThatOnlyAsksForTheTypeNeedsNone(text: String) throws {
    #expect(try !needsThreads(["index.html": "<script src=lib.js></script>", "lib.js": text]))
  }

  @Test func godotsPagesSayItThemselves() throws {
    let engine = "Features: 'SharedArrayBuffer' in window && new SharedArrayBuffer(1)"
    for (page, expected) in [
      ("const GODOT_THREADS_ENABLED = false;", false), ("const GODOT_THREADS_ENABLED=true;", true),
      ("if (GODOT_THREADS_ENABLED) {} const GODOT_THREADS_ENABLED =\n  false;", false),
      // 4.0 to 4.2 have no such line, and always threads.
      ("const GODOT_CONFIG = {};", true),
    ] {
      #expect(
        try needsThreads(["index.html": "<script>\(page)</script>", "index.js": engine]) == expected,
        "\(page)")
    }
  }

  @Test(arguments: [("a.js", "b.js"), ("b.js", "a.js")])
  func whatAScriptOfGodotsSaysCountsWhereverItStands(says: String, uses: String) throws {
    for answer in [true, false] {
      #expect(
        try needsThreads([
          "index.html": "", says: "const GODOT_THREADS_ENABLED = \(answer);",
          uses: "new SharedArrayBuffer(1)",
        ]) == answer)
    }
  }

  @Test func onlyPagesAndScriptsAreLookedAt() throws {
    let mark = "new SharedArrayBuffer(1)"
    #expect(try !needsThreads(["index.html": "", "readme.txt": mark, "data.json": mark, "noending": mark]))
    #expect(try needsThreads(["index.html": "", "Worker.MJS": mark]))
  }

  @Test func aMarkIsFoundAndJudgedWhereverAPieceEnds() throws {
    let piece = ThreadProbe.pieceSize
    for shift in stride(from: 0, through: 110, by: 1) {
      let padding = String(repeating: " ", count: piece - shift)
      let marked = try needsThreads(["a.js": padding + "new SharedArrayBuffer(8)"])
      #expect(marked, "\(shift) bytes before the end of a piece")
      let asked = try needsThreads(["a.js": padding + "typeof globalThis.SharedArrayBuffer == 'x'"])
      #expect(!asked, "\(shift) bytes before the end of a piece")
    }
  }

  @Test func whatCannotBeReadDoesNotCount() throws {
    let folder = try Directory(path: folder.path)
    #expect(!ThreadProbe.needsThreads(["missing.js", "index.html"], in: folder))
    #expect(!ThreadProbe.needsThreads([], in: folder))
  }
}
