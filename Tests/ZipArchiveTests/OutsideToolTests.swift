import Foundation
import Platform
import TestSupport
import Testing

@testable import ZipArchive

/// What other programs write is accepted and unpacks to what they packed; what we accept, other programs read the same.
@Suite struct OutsideToolTests {
  private static let writers: [(program: String, arguments: [String])] = [
    ("zip", ["-qr", "../out.zip", "."]),
    ("zip", ["-qr0X", "../out.zip", "."]),
    ("zip", ["-qrfd", "../out.zip", "."]),
    ("zip", ["-qrfz", "../out.zip", "."]),
    ("7z", ["a", "-tzip", "-bd", "../out.zip", "."]),
    ("7z", ["a", "-tzip", "-mx=9", "-mcu=on", "../out.zip", "."]),
    ("bsdtar", ["-c", "--format", "zip", "-f", "../out.zip", "."]),
    ("jar", ["cfM", "../out.zip", "."]),
    ("jar", ["cf", "../out.zip", "."]),
    ("python3", ["-m", "zipfile", "-c", "../out.zip", "."]),
    ("python3", ["-c", "import shutil; shutil.make_archive('../out', 'zip', '.')"]),
    (
      "python3",
      [
        "-c",
        """
        import os, sys, zipfile
        class Pipe:
          def __init__(self, f): self.f = f
          def write(self, b): return self.f.write(b)
          def flush(self): self.f.flush()
        with zipfile.ZipFile(Pipe(open('../out.zip', 'wb')), 'w', zipfile.ZIP_DEFLATED) as z:
          for folder, _, names in os.walk('.'):
            for name in names:
              path = os.path.join(folder, name)
              with z.open(os.path.relpath(path), 'w', force_zip64=True) as f: f.write(open(path, 'rb').read())
        """,
      ]
    ),
  ]

  private static let content: [String: [UInt8]] = [
    "index.html": Array("<script src=\"js/main.js\"></script>".utf8),
    "js/main.js": Array(String(repeating: "console.log('hello');\n", count: 500).utf8),
    "img/noise.bin": (0..<50_000).map { UInt8(truncatingIfNeeded: ($0 &* 1_103_515_245 &+ 12_345) >> 16) },
    "img/leer.txt": [],
    "img/größe/日本.txt": Array("x".utf8),
  ]

  @Test(arguments: writers.indices) func acceptsWhatOtherProgramsWrite(number: Int) throws {
    let (program, arguments) = Self.writers[number]
    let folder = try TemporaryFolder()
    for (name, bytes) in Self.content {
      let path = "\(folder.path)/in/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    guard let done = try run(program, arguments, in: folder.path + "/in") else { return }
    #expect(done.status == 0, "\(done.output)")
    let judged = try judge(file: folder.path + "/out.zip", digests: true)
    #expect(judged.isAccepted, "\(program) \(arguments): \(judged.findings)")
    #expect(judged.rules.subtracting(["dot-prefix"]).isEmpty, "\(program): \(judged.findings)")
    let files = try judged.unpacked().filter { !$0.key.hasSuffix("/") && !$0.key.hasPrefix("META-INF/") }
    #expect(files == Self.content)
    #expect(judged.contents.files.count == judged.paths.count)
  }

  @Test(arguments: [
    ["-pSecret", "-mem=AES256"], ["-pSecret", "-mem=AES128"], ["-pSecret", "-mem=ZipCrypto"],
  ])
  func knowsTheCiphersOf7z(flags: [String]) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(Array("hello hello hello hello".utf8), as: "index.html")
    guard
      let done = try run("7z", ["a", "-tzip", "-bd"] + flags + ["out.zip", "index.html"], in: folder.path)
    else {
      return
    }
    #expect(done.status == 0)
    let judged = try judge(file: folder.path + "/out.zip")
    #expect(judged.isAccepted && judged.rules == ["encrypted"], "\(judged.findings)")
  }

  @Test func refusesLZMAByName() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write([UInt8](repeating: 7, count: 10_000), as: "index.html")
    guard try run("7z", ["a", "-tzip", "-mm=LZMA", "out.zip", "index.html"], in: folder.path) != nil else {
      return
    }
    let judged = try judge(file: folder.path + "/out.zip")
    #expect(judged.errors == ["unsupported-method"])
    #expect(judged.detail(of: .unsupportedMethod)?.hasPrefix("LZMA") == true)
  }

  @Test func refusesASplitZip() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write((0..<200_000).map { _ in UInt8.random(in: 0...255) }, as: "index.html")
    guard try run("zip", ["-q", "-s", "64k", "out.zip", "index.html"], in: folder.path) != nil else { return }
    #expect(try judge(file: folder.path + "/out.zip").errors == ["multi-disk"])
  }

  /// The other way round: our builder's honest zips are what other programs call a zip.
  @Test(arguments: [
    ("unzip", ["-tqq"]), ("python3", ["-m", "zipfile", "-t"]), ("bsdtar", ["-tf"]), ("7z", ["t"]),
  ])
  func buildsZipsThatOtherProgramsRead(program: String, arguments: [String]) throws {
    let folder = try TemporaryFolder()
    var builder = ZipBuilder([
      ZipEntry("index.html", "hello"),
      ZipEntry("ä/b.js", "hello hello hello").with { $0.descriptor = .withSignature },
      ZipEntry.stored("c", "xyz").with { $0.isZip64 = true }, ZipEntry("d/"),
    ])
    builder.zip64End = true
    let path = try folder.write(builder.build(), as: "a.zip")
    guard let done = try run(program, arguments + [path]) else { return }
    #expect(done.status == 0, "\(program): \(done.output)")
    #expect(try judge(file: path).isAccepted)
  }
}

@Suite struct CompositionTests {
  /// Python's normaliser and ours agree on every scalar alone, and between a letter and two marks.
  @Test func agreesWithPythonOnNFC() throws {
    let folder = try TemporaryFolder()
    let program = """
      import unicodedata as u
      from itertools import product
      with open('expected.txt', 'w', encoding='utf-8') as f:
        for c in range(0xA0, 0x30000):
          if 0xD800 <= c < 0xE000 or u.category(chr(c)) == 'Cn': continue
          s = chr(c)
          f.write(s + '\\t' + u.normalize('NFC', s) + '\\n')
        for base, one, two in product('aeouAEIo\\u1100\\u03b9', range(0x300, 0x346), (0x301, 0x323, 0x345, 0x1161, 0x11a8)):
          s = base + chr(one) + chr(two)
          f.write(s + '\\t' + u.normalize('NFC', s) + '\\n')
      """
    guard let done = try run("python3", ["-c", program], in: folder.path) else { return }
    #expect(done.status == 0, "\(done.output)")
    let text = try String(contentsOfFile: folder.path + "/expected.txt", encoding: .utf8)
    var wrong = 0
    for line in text.unicodeScalars.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let entry = String(String.UnicodeScalarView(parts[0])).composed
      if !entry.unicodeScalars.elementsEqual(parts[1]) { wrong += 1 }
    }
    #expect(wrong == 0)
  }
}
