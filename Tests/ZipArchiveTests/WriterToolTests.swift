import Foundation
import Platform
import Testing

@testable import ZipArchive

/// What we write, other programs test and unpack to the same files.
@Suite struct WriterToolTests {
  private static let content: [String: [UInt8]] = [
    "index.html": Array("<p>hello</p>".utf8),
    "js/main.js": prose(500),
    "img/noise.bin": noise(700_000),
    "img/empty": [],
    "größe/日本.txt": Array("x".utf8),
    "log.txt": prose(5000),
  ]

  /// What is written in which way.
  enum Kind: String, CaseIterable, Sendable {
    case fast, small, stored, dated, appended, streamed
  }

  private static let unpackers: [(program: String, arguments: [String])] = [
    ("unzip", ["-q", "../a.zip"]), ("7z", ["x", "-bd", "../a.zip"]), ("bsdtar", ["-xf", "../a.zip"]),
    ("python3", ["-m", "zipfile", "-e", "../a.zip", "."]), ("jar", ["xf", "../a.zip"]),
  ]

  private static let testers: [(program: String, arguments: [String])] = [
    ("unzip", ["-tqq", "a.zip"]), ("7z", ["t", "a.zip"]), ("bsdtar", ["-tf", "a.zip"]),
    ("python3", ["-m", "zipfile", "-t", "a.zip"]), ("zip", ["-qT", "a.zip"]), ("zipinfo", ["-v", "a.zip"]),
  ]

  private func write(_ kind: Kind, in bench: WriterBench) throws {
    var options = ZipWriterOptions(level: 6)
    switch kind {
    case .fast: options.level = 1
    case .small: options.level = 9
    case .stored: options.level = 0
    case .dated: options.dates = .kept
    case .appended, .streamed: break
    }
    let names = Self.content.keys.sorted()
    var zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: options)
    for name in names {
      let bytes = Self.content[name] ?? []
      switch kind {
      case .streamed:
        try zip.openEntry(name)
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
          try zip.write(Array(bytes[start..<min(bytes.count, start + 10_000)]))
        }
        try zip.closeEntry()
      case .appended:
        try zip.add(data: bytes, as: name)
        try zip.finish()
        zip = try ZipWriter(appendingTo: "a.zip", in: bench.directory, options: options)
      case .dated: try zip.add(data: bytes, as: name, modifiedAt: 1_770_091_507)
      case .fast, .small, .stored: try zip.add(data: bytes, as: name)
      }
    }
    try zip.addFolder("saves")
    try zip.finish()
  }

  @Test(arguments: Kind.allCases) func othersReadWhatWeWrite(kind: Kind) throws {
    let bench = try WriterBench()
    try write(kind, in: bench)
    let judged = try bench.judged("a.zip")
    #expect(judged.rules == [], "\(judged.findings)")
    for (program, arguments) in Self.testers {
      guard let done = try run(program, arguments, in: bench.folder.path) else { continue }
      #expect(done.status == 0, "\(program): \(done.output)")
      #expect(!done.output.lowercased().contains("warning"), "\(program): \(done.output)")
    }
    for (program, arguments) in Self.unpackers {
      _ = try bench.directory.createDirectory(program)
      guard let done = try run(program, arguments, in: bench.path(program)) else { continue }
      #expect(done.status == 0, "\(program): \(done.output)")
      let files = try tree(bench.path(program))
      #expect(files["saves/"] == [], "\(program)")
      #expect(files.filter { !$0.key.hasSuffix("/") } == Self.content, "\(program)")
    }
  }
}
