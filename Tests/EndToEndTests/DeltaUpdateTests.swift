import Foundation
import TestSupport
import Testing

/// An update by parts, both programs as they are run.
@Suite struct DeltaUpdateTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// The bytes that a sync says it fetched.
  private func fetched(_ url: String, _ more: String...) throws -> Int {
    let metrics = "\(workshop.folder.path)/metrics.prom"
    let sync = try Programs.run(
      "mirror-sync",
      ["sync", "--server", url, "--dest", workshop.mirror, "--metrics-file", metrics] + more)
    #expect(sync.status == 0 && sync.errors == "", "\(sync)")
    let line = try String(contentsOfFile: metrics, encoding: .utf8).split(separator: "\n").first {
      $0.hasPrefix("mirror_sync_last_run_fetched_bytes{")
    }
    return Int(line?.split(separator: " ").last ?? "") ?? -1
  }

  /// Files that do not compress: name and seed.
  private func publish(_ files: KeyValuePairs<String, UInt64>, _ version: String, to url: String) throws
    -> Data
  {
    let builder = ZipBuilder(
      files.map { name, seed in
        var random = seed
        let bytes = (0..<50_000).map { _ -> UInt8 in
          random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: random >> 56)
        }
        return ZipEntry(name, FileContent(bytes))
      } + [ZipEntry("index.html", "<h1>\(version)</h1>")])
    let path = "\(workshop.folder.path)/\(version).zip"
    let zip = Data(builder.build())
    try zip.write(to: URL(filePath: path))
    let published = try workshop.publish(path, "courier", version, to: url)
    #expect(published.status == 0, "\(published)")
    return zip
  }

  private func package(_ version: String) throws -> Data {
    try Data(contentsOf: URL(filePath: "\(workshop.mirror)/packages/courier/\(version).zip"))
  }

  @Test func anUpdateCostsWhatIsNew() throws {
    let server = try workshop.serve()
    let first = try publish(["a": 1, "img/b": 2, "img/c": 3, "d": 4], "1.0", to: server.url)
    #expect(try fetched(server.url) == first.count)
    // One file changed, one renamed, one moved to the front.
    let second = try publish(["img/c": 3, "a": 1, "b": 2, "d": 9], "1.1", to: server.url)
    let bytes = try fetched(server.url)
    #expect((50_000..<51_500).contains(bytes), "of \(second.count)")
    #expect(try package("1.1") == second)
    #expect(workshop.installed("courier/current/index.html") == "<h1>1.1</h1>")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(workshop.mirror)/partial") == [])
    let third = try publish(["img/c": 3, "a": 1, "b": 2, "d": 10], "1.2", to: server.url)
    #expect(try fetched(server.url, "--no-delta") == third.count)
    #expect(try package("1.2") == third)
    #expect(server.stop() == 0)
  }

  @Test func aDryRunTellsWhatTheUpdateThenCosts() throws {
    let server = try workshop.serve()
    _ = try publish(["a": 1, "b": 2, "c": 3, "d": 4], "1.0", to: server.url)
    _ = try fetched(server.url)
    _ = try publish(["a": 1, "b": 2, "c": 3, "d": 9], "1.1", to: server.url)
    let before = try workshop.everything(below: workshop.mirror)
    let scratch = try TemporaryFolder()
    let dry = try Programs.run(
      "mirror-sync", ["sync", "--server", server.url, "--dest", workshop.mirror, "--dry-run", "--json"],
      environment: ["TMPDIR": scratch.path])
    #expect(dry.status == 0, "\(dry)")
    #expect(try workshop.everything(below: workshop.mirror) == before, "a dry run writes nothing")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    let plan = try #require(JSONSerialization.jsonObject(with: Data(dry.output.utf8)) as? [String: Any])
    let bytes = try fetched(server.url)
    let planned = try #require(plan["bytesToFetch"] as? Int)
    // A plan counts what requests cost besides their answers' bodies.
    #expect((bytes...bytes + 1500).contains(planned), "\(planned) planned, \(bytes) fetched")
  }

  @Test func aDamagedOldPackageCostsBytesAndNoMore() throws {
    let server = try workshop.serve()
    _ = try publish(["a": 1, "b": 2, "c": 3], "1.0", to: server.url)
    _ = try fetched(server.url)
    let old = try #require(FileHandle(forUpdatingAtPath: "\(workshop.mirror)/packages/courier/1.0.zip"))
    try old.seek(toOffset: 60_000)
    try old.write(contentsOf: Data("damaged".utf8))
    try old.close()
    let second = try publish(["a": 1, "b": 2, "c": 9], "1.1", to: server.url)
    let bytes = try fetched(server.url)
    #expect((second.count...(second.count * 2)).contains(bytes))
    #expect(try package("1.1") == second)
  }
}
