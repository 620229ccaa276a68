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
}
