import Catalogue
import DepotModel
import DepotService
import Foundation
import Platform
import TestSupport
import Testing

/// What nobody needs goes, and nothing else.
@Suite struct GarbageTests {
  private let fixture: DepotFixture

  init() async throws {
    fixture = try DepotFixture()
    for id in ["kept", "gone"] {
      try await fixture.publish("gameId=\(id)&h5Version=1", Samples.game(id))
    }
    try fixture.depot.catalogue.removeGame(#require(GameID("gone")), actor: nil)
  }

  private func hex(_ id: String) -> String { Samples.sha256(Samples.game(id)) }

  private func put(_ name: String, _ bytes: [UInt8] = [1, 2, 3]) throws {
    let path = "\(fixture.path)/\(name)"
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path))
  }

  @Test func removesPackagesThatNoReleaseNeedsAndLeftoversOfUploads() async throws {
    try put("ingest/left.zip")
    try put("blobs/sha256/\(hex("kept").prefix(2))/\(hex("kept")).damaged")
    let dry = try Depot.collectGarbage(in: fixture.path, isDry: true)
    #expect(dry.packages == 2 && dry.leftovers == 1)
    #expect(fixture.blobNames.count == 3)
    let report = try Depot.collectGarbage(in: fixture.path, isDry: false)
    #expect(report == dry && report.bytes == Int64(Samples.game("gone").count) + 6)
    #expect(fixture.blobNames == [hex("kept")] && fixture.names(in: "ingest") == [])
    #expect(try await fixture.ask("/games/kept/package.zip").bytes == Samples.game("kept"))
    #expect(try Depot.collectGarbage(in: fixture.path, isDry: false).bytes == 0)
  }

  @Test func leavesAloneWhatIsNeededOrNotItsOwn() throws {
    let folder = "blobs/sha256/\(hex("kept").prefix(2))"
    try FileManager.default.moveItem(
      atPath: "\(fixture.path)/\(folder)/\(hex("kept"))",
      toPath: "\(fixture.path)/\(folder)/\(hex("kept")).damaged")
    try put("\(folder)/README")
    try put("blobs/sha256/lost+found/x")
    _ = try Depot.collectGarbage(in: fixture.path, isDry: false)
    #expect(fixture.names(in: folder) == [hex("kept") + ".damaged", "README"].sorted())
    #expect(fixture.names(in: "blobs/sha256/lost+found") == ["x"])
  }

  @Test func aServerLetsGoOfPackagesThatWereRemoved() async throws {
    try await fixture.publish("gameId=late&h5Version=1", Samples.game("late"))
    #expect(try await fixture.ask("/games/late/package.zip").status == 200)
    try fixture.depot.catalogue.removeGame(#require(GameID("late")), actor: nil)
    _ = try Depot.collectGarbage(in: fixture.path, isDry: false)
    func isHeld() throws -> Bool {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
        // The listing's own descriptor is gone by now.
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        return target?.contains(hex("late")) == true
      }
    }
    #expect(try isHeld())
    fixture.handler.keepUp()
    #expect(try !isHeld())
  }

  @Test func aFolderWithoutADepotIsNotMadeOne() throws {
    let folder = try TemporaryFolder()
    #expect(throws: DepotError.self) { try Depot.collectGarbage(in: folder.path, isDry: false) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aFailureIsToldAndNothingNeededIsLost() throws {
    var step = 1
    while true {
      let volume = FaultyVolume(failing: step, errno: 5)
      let report = try? Depot.collectGarbage(in: fixture.path, isDry: false, volume: volume)
      guard volume.failed != nil else { break }
      #expect(report == nil)
      #expect(fixture.blobNames.contains(hex("kept")))
      step += 1
    }
    #expect(step > 1)
  }
}
