import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct ZipWriterAppendTests {
  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  private func append(_ volume: any Volume = SystemVolume()) throws(ZipWriteError) -> ZipWriter {
    try ZipWriter(appendingTo: "a.zip", in: bench.directory, options: ZipWriterOptions(), volume: volume)
  }

  @Test func goesOnBehindWhatIsThere() throws {
    _ = try bench.archive { try $0.add(data: prose(100), as: "a/x") }
    let before = try bench.bytes("a.zip")
    let zip = try append()
    try zip.add(data: prose(200), as: "a/y")
    #expect(try bench.bytes("a.zip") == before)
    #expect(try zip.finish().entries == 2)
    let judged = try bench.judged("a.zip")
    #expect(judged.rules == ["no-index"], "\(judged.findings)")
    #expect(try judged.unpacked() == ["a/": [], "a/x": prose(100), "a/y": prose(200)])
    let entry = try #require(judged.plan.files.first)
    let end = Int(entry.dataOffset + entry.compressedSize)
    #expect(try bench.bytes("a.zip")[..<end] == before[..<end])
    #expect(bench.names == ["a.zip"])
  }

  @Test func knowsTheNamesThatAreThere() throws {
    _ = try bench.archive { try $0.add(data: [1], as: "a/x") }
    for (name, rule) in [("a/x", Rule.duplicate), ("A/y", .caseCollision), ("a", .fileDirectoryConflict)] {
      let failure = #expect(throws: ZipWriteError.self) { try append().add(data: [1], as: name) }
      guard case .refusedName(let finding) = failure else { return #expect(Bool(false)) }
      #expect(finding.rule == rule)
    }
  }

  /// What others wrote stays byte for byte: their fields, comments and descriptors.
  @Test func keepsWhatOtherWritersWrote() throws {
    var builder = ZipBuilder([
      ZipEntry("index.html", "hello").with { $0.descriptor = .withSignature },
      ZipEntry("b", "hello hello hello").with { $0.comment = Array("mine".utf8) },
      ZipEntry.stored("c", "xyz").with { $0.isZip64 = true },
    ])
    builder.comment = Array("the archive's".utf8)
    builder.zip64End = true
    let before = builder.build()
    try bench.write(before, as: "a.zip")
    let zip = try append()
    try zip.add(data: [1], as: "d")
    try zip.finish()
    let judged = try bench.judged("a.zip")
    #expect(judged.rules == [], "\(judged.findings)")
    #expect(judged.paths == ["index.html", "b", "c", "d"])
    let after = try bench.bytes("a.zip")
    #expect(after.suffix(13) == Array("the archive's".utf8)[...])
    let directoryEnd = before.count - 13 - 22 - 20 - 56
    let start = try #require(EndRecord.positions(of: Signature.centralHeader, in: before).first)
    #expect(after[..<start] == before[..<start])
    let added = 30 + 1 + 1
    #expect(after[start + added..<directoryEnd + added] == before[start..<directoryEnd])
  }

  @Test func refusesToGoOnWithAnUnsoundArchive() throws {
    try bench.write(ZipBuilder([ZipEntry("a", "x")]).build() + [0x7F], as: "a.zip")
    let failure = #expect(throws: ZipWriteError.self) { try append() }
    guard case .unsoundArchive(let findings) = failure else { return #expect(Bool(false)) }
    #expect(findings.map(\.rule) == [.trailingData])
    #expect(bench.names == ["a.zip"])
  }

  @Test func copyingCanBeCancelled() throws {
    _ = try bench.archive { try $0.add(data: noise(1000), as: "a") }
    #expect(throws: ZipWriteError.cancelled) {
      try ZipWriter(
        appendingTo: "a.zip", in: bench.directory, options: ZipWriterOptions(), isCancelled: { true })
    }
    #expect(bench.names == ["a.zip"])
  }

  @Test func theOldArchiveSurvivesEveryFailure() throws {
    _ = try bench.archive { try $0.add(data: noise(600_000), as: "a") }
    let before = try bench.bytes("a.zip")
    for step in 1...100 {
      try bench.write(before, as: "a.zip")
      let volume = FaultyVolume(failing: step, errno: 5)
      do throws(ZipWriteError) {
        let zip = try append(volume)
        try zip.add(data: noise(300_000), as: "b")
        try zip.finish()
      } catch {
        #expect(volume.failed != nil)
      }
      #expect(bench.names == ["a.zip"])
      guard let failed = volume.failed else {
        #expect(try bench.judged("a.zip").paths == ["a", "b"])
        return
      }
      let isOld = try bench.bytes("a.zip") == before
      #expect(isOld != (failed == "fsync \(bench.directory.path)"), "\(failed)")
    }
    Issue.record("there is no end to the steps")
  }
}
