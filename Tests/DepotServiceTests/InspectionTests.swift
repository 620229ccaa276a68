import DepotService
import Foundation
import Platform
import TestSupport
import Testing
import ZipArchive

@Suite struct InspectionTests {
  private func inspect(_ entries: [ZipEntry], _ change: (inout PackageOptions) -> Void = { _ in }) throws
    -> Inspection
  {
    let path = "\(NSTemporaryDirectory())/inspection-\(UUID().uuidString).zip"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(ZipBuilder(entries).build()).write(to: URL(filePath: path))
    var options = PackageOptions(limits: .standard)
    change(&options)
    return try Inspection(of: try File(path: path, mode: .read), options: options)
  }

  @Test func aSoundPackageHasNothingToSay() throws {
    let inspection = try inspect([ZipEntry("index.html", "hello"), ZipEntry("img/")])
    #expect(inspection.isAccepted)
    #expect(
      String(decoding: inspection.json, as: UTF8.self)
        == #"{"accepted":true,"encoding":"utf-8","entries":2,"findings":[],"unpackedSize":5}"#)
    #expect(
      inspection.text(named: "a.zip") == "a.zip: accepted, 2 entries, 5 bytes unpacked, names in utf-8\n")
  }

  @Test func tellsEveryFindingWithItsEvidenceAtOnce() throws {
    let damaged = ZipEntry("b.txt", "damaged").with { $0.crc32 ^= 1 }
    let inspection = try inspect([
      ZipEntry("../up.txt", "x"), ZipEntry(".DS_Store", "x"), ZipEntry("CON", "x"), damaged,
    ])
    #expect(!inspection.isAccepted)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(inspection.json)) as? [String: Any])
    #expect(Set(report.keys) == ["accepted", "findings", "encoding", "entries", "unpackedSize"])
    #expect(report["accepted"] as? Bool == false)
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(
      Set(findings.compactMap { $0["rule"] as? String })
        == ["parent-path", "junk", "reserved-name", "crc-mismatch", "no-index"])
    for finding in findings { #expect(Set(finding.keys) == ["rule", "severity", "path", "detail"]) }
    let index = findings.first { $0["rule"] as? String == "no-index" }
    #expect(index?["path"] is NSNull && index?["severity"] as? String == "warning")
  }

  @Test func theReportSaysWhatIsWrongWhereAndWhatToDo() throws {
    let text = try inspect([
      ZipEntry("index.html", "x"), ZipEntry("../up.txt", "x"), ZipEntry("__MACOSX/._a", "x"),
    ]).text(named: "a.zip")
    #expect(
      text == """
        a.zip: refused, 3 entries, 2 bytes unpacked, names in utf-8

        error parent-path: Pack from inside the game's folder: no path may contain `..`.
          ../up.txt: it has the component ..

        warning junk: Nothing needs doing: file managers put it there, and it is left out.
          __MACOSX/._a: it is left out

        """)
  }

  @Test func judgesAsItIsTold() throws {
    let entries = [ZipEntry([0x88, 0xC4], "x").with { $0.flags = 0 }]
    #expect(try inspect(entries).isAccepted)
    #expect(try !inspect(entries) { $0.requireIndex = true }.isAccepted)
    #expect(try !inspect(entries) { $0.namesEncoding = .utf8 }.isAccepted)
    #expect(try !inspect(entries) { $0.limits.entries = 0 }.isAccepted)
  }
}
