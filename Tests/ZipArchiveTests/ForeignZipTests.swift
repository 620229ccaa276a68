import Foundation
import Platform
import TestSupport
import Testing

@testable import ZipArchive

/// What honest programs write around a zip is tolerated and told, where no two readers can take it for different things.
@Suite struct ForeignZipTests {
  private static let entries = [ZipEntry("index.html", "<h1>hello hello hello</h1>"), ZipEntry("a", "x")]
  private static let zip = ZipBuilder(entries).build()

  private static func padded(_ bytes: [UInt8], to block: Int = 10_240) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (block - bytes.count % block) % block)
  }

  @Test(arguments: [512, 10_240, 65_536]) func zerosUpToAWholeBlockAreAWarning(block: Int) throws {
    let judged = try judge(Self.padded(Self.zip, to: block))
    #expect(judged.isAccepted)
    #expect(judged.rules == ["trailing-data"])
    #expect(try judged.unpacked().keys.sorted() == ["a", "index.html"])
  }

  /// Programs that look for the last signature would find another end record than those that look for one that fits.
  @Test func zerosBehindAnAmbiguousEndAreAnError() throws {
    var builder = ZipBuilder(Self.entries)
    builder.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
    #expect(try judge(Self.padded(builder.build())).errors.contains("trailing-data"))
  }

  /// APPNOTE 8.5.4, 8.5.5.
  @Test(arguments: [[0x50, 0x4B, 0x30, 0x30], [0x50, 0x4B, 7, 8]] as [[UInt8]])
  func theMarkerOfASplitZipInOnePartIsAWarning(marker: [UInt8]) throws {
    var builder = ZipBuilder(Self.entries)
    builder.prefix = marker
    let judged = try judge(builder.build())
    #expect(judged.isAccepted)
    #expect(judged.rules == ["prefix-data"])
    #expect(try judged.unpacked().keys.sorted() == ["a", "index.html"])
  }

  @Test func appendingToAPaddedZipDropsThePadding() throws {
    let bench = try WriterBench()
    try bench.write(Self.padded(Self.zip), as: "a.zip")
    let zip = try ZipWriter(appendingTo: "a.zip", in: bench.directory, options: ZipWriterOptions())
    try zip.add(data: [1], as: "b")
    try zip.finish()
    #expect(try bench.judged("a.zip").rules == [])
  }

  @Test func bsdtarThroughAPipeIsAccepted() throws {
    let bench = try WriterBench()
    try bench.write(Array("<p>hello</p>".utf8), as: "in/index.html")
    try bench.write(noise(30_000), as: "in/sub/noise")
    let command = "command -v bsdtar >/dev/null || exit 127; bsdtar -c --format zip -f - * | cat > ../a.zip"
    guard try run("sh", ["-c", command], in: bench.path("in")) != nil else { return }
    let judged = try bench.judged("a.zip")
    #expect(judged.isAccepted, "\(judged.findings)")
    #expect(judged.rules == ["trailing-data"], "\(judged.findings)")
    #expect(try judged.unpacked()["sub/noise"] == noise(30_000))
  }

  @Test func aZipThatWasToBeSplitAndIsNotIsAccepted() throws {
    let bench = try WriterBench()
    try bench.write(Array("<p>hello</p>".utf8), as: "index.html")
    guard try run("zip", ["-q", "-s", "64k", "a.zip", "index.html"], in: bench.folder.path) != nil else {
      return
    }
    let judged = try bench.judged("a.zip")
    #expect(judged.isAccepted, "\(judged.findings)")
    #expect(judged.rules == ["prefix-data"], "\(judged.findings)")
    #expect(try judged.unpacked() == ["index.html": Array("<p>hello</p>".utf8)])
  }

  /// Finder streams (descriptors, sizes of zero in front), writes names in NFD without bit 11, and beside each file what it
  /// keeps of it in `__MACOSX`.
  @Test func whatFinderCompressesLosesItsFolderAndItsShadows() throws {
    func entry(_ name: String, _ content: String) -> ZipEntry {
      ZipEntry(name, FileContent(Array(content.utf8))).with {
        $0.flags = 0
        if !name.hasSuffix("/") { $0.descriptor = .withSignature }
      }
    }
    let judged = try judge([
      entry("game/", ""), entry("game/index.html", "<p>hello</p>"),
      entry("__MACOSX/", ""), entry("__MACOSX/game/", ""), entry("__MACOSX/game/._index.html", "shadow"),
      entry("game/gro\u{308}\u{DF}e.js", "1"), entry("__MACOSX/game/._gro\u{308}\u{DF}e.js", "shadow"),
      entry("game/.DS_Store", "shadow"),
    ])
    #expect(judged.isAccepted, "\(judged.findings)")
    #expect(judged.rules == ["junk", "wrapper-folder"], "\(judged.findings)")
    #expect(judged.plan.root == "game/")
    #expect(judged.paths.map { Array($0.utf8) } == [Array("index.html".utf8), Array("größe.js".utf8)])
    #expect(try judged.unpacked().keys.sorted() == ["größe.js", "index.html"])
  }

  /// As tools on a Chinese Windows write: GBK, backslashes, attributes of DOS. `謀` ends in 0x5C, which is no separator.
  @Test func whatAChineseWindowsPacksIsReadAsItWasMeant() throws {
    let names: [[UInt8]] = [
      [0xD3, 0xCE, 0xCF, 0xB7, 0x5C, 0x69, 0x6E, 0x64, 0x65, 0x78, 0x2E, 0x68, 0x74, 0x6D, 0x6C],
      [
        0xD3, 0xCE, 0xCF, 0xB7, 0x5C, 0xCD, 0xBC, 0xC6, 0xAC, 0x5C, 0xB1, 0xB3, 0xBE, 0xB0, 0x2E, 0x70, 0x6E,
        0x67,
      ],
      [0xD3, 0xCE, 0xCF, 0xB7, 0x5C, 0xCD, 0xBC, 0xC6, 0xAC, 0x5C, 0xEA, 0x8E, 0xD6, 0x5C, 0x2E, 0x6A, 0x73],
      [
        0xD3, 0xCE, 0xCF, 0xB7, 0x5C, 0xD2, 0xF4, 0xC0, 0xD6, 0x5C, 0xBF, 0xAA, 0xCA, 0xBC, 0x2E, 0x6D, 0x70,
        0x33,
      ],
    ]
    let judged = try judge(
      names.map {
        ZipEntry($0, "x").with { ($0.flags, $0.versionMadeBy, $0.externalAttributes) = (0, 20, 0x20) }
      })
    #expect(judged.isAccepted, "\(judged.findings)")
    #expect(judged.rules == ["backslash", "names-encoding", "wrapper-folder"], "\(judged.findings)")
    #expect(judged.plan.namesEncoding == .gb18030)
    #expect(judged.paths == ["index.html", "图片/背景.png", "图片/陰謀.js", "音乐/开始.mp3"])
  }
}
