import Catalogue
import DepotModel
import DepotService
import Foundation
import Platform
import TestSupport
import Testing

/// A copy of a depot that was made while it is used, and a depot that is made of one.
@Suite struct BackupTests {
  private let fixture: DepotFixture
  private let folder: TemporaryFolder
  private var backup: String { "\(folder.path)/backup" }
  private var restored: String { "\(folder.path)/restored" }

  init() async throws {
    fixture = try DepotFixture()
    folder = try TemporaryFolder()
    for (id, version) in [("a", "1.0"), ("a", "1.1"), ("b", "2.0")] {
      #expect(
        try await fixture.publish("gameId=\(id)&h5Version=\(version)", Samples.game("\(id) \(version)"))
          .status
          == 201)
    }
  }

  private func opened(_ path: String, on volume: any Volume = SystemVolume()) throws -> Depot {
    var settings = DepotSettings.standard
    settings.diskFloor = 0
    return try Depot(path: path, creating: false, settings: settings, volume: volume)
  }

  private func reopened() throws -> Depot { try opened(restored) }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(path)").sorted()
  }

  private func blob(_ id: String, _ version: String, in root: String) -> String {
    let hex = Samples.sha256(Samples.game("\(id) \(version)"))
    return "\(root)/blobs/sha256/\(hex.prefix(2))/\(hex)"
  }

  private func failure(_ body: () throws(BackupError) -> BackupReport) -> String? {
    do throws(BackupError) {
      _ = try body()
      return nil
    } catch { return error.description }
  }

  @Test func whatIsRestoredIsTheDepotUnderAnotherIdentity() async throws {
    let report = try fixture.depot.backUp(to: backup)
    #expect(report.packages == 3 && report.linked == 3 && report.lost.isEmpty)
    #expect(try names("backup") == ["blobs", "catalogue.sqlite", "manifest.json"])
    #expect(try File(path: blob("a", "1.0", in: backup), mode: .read).status.permissions == 0o444)
    // What comes later is not in it.
    try await fixture.publish("gameId=c&h5Version=1", Samples.game("c"))
    let restoredReport = try Depot.restore(from: backup, to: restored)
    #expect(
      restoredReport.packages == 3 && restoredReport.bytes == report.bytes && restoredReport.lost.isEmpty)
    let depot = try reopened()
    #expect(depot.catalogue.identity != fixture.depot.catalogue.identity)
    #expect(try depot.catalogue.allReleases().map(\.version.text) == ["1.0", "1.1", "2.0"])
    #expect(try depot.verify(repairing: false).damages.isEmpty)
    #expect(throws: CatalogueError.self) {
      try depot.catalogue.changes(since: 1, channel: .stable, after: nil, limit: 10)
    }
    #expect(try names("restored/ingest") == [])
    #expect(try !names("restored").contains { $0.contains(".part") })
  }

  @Test func aPackageThatIsLostIsToldAndTheRestIsThere() throws {
    try FileManager.default.removeItem(atPath: blob("a", "1.0", in: fixture.path))
    try Data([1]).write(to: URL(filePath: blob("b", "2.0", in: fixture.path)))
    let report = try fixture.depot.backUp(to: backup)
    #expect(report.packages == 1)
    #expect(
      Set(report.lost.map(\.reason)) == [
        "it is missing", "it has 1 bytes, not \(Samples.game("b 2.0").count)",
      ])
    let again = try Depot.restore(from: backup, to: restored)
    #expect(again.packages == 1 && again.lost.count == 2)
    #expect(try reopened().catalogue.allReleases().count == 3)
  }

  @Test func anotherDiskGetsCopiesThatAreProven() throws {
    let depot = try opened(fixture.path, on: OtherDisk())
    var bytes = Samples.game("b 2.0")
    bytes[bytes.count / 2] ^= 1
    try FileManager.default.removeItem(atPath: blob("b", "2.0", in: fixture.path))
    try Data(bytes).write(to: URL(filePath: blob("b", "2.0", in: fixture.path)))
    let report = try depot.backUp(to: backup)
    #expect(report.packages == 2 && report.linked == 0)
    #expect(report.lost.map(\.reason) == ["its bytes are damaged"])
    #expect(
      FileManager.default.contents(atPath: blob("a", "1.1", in: backup)) == Data(Samples.game("a 1.1")))
    #expect(try Depot.restore(from: backup, to: restored, volume: OtherDisk()).packages == 2)
  }

  @Test func whatStandsThereIsNeverReplaced() throws {
    try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: true)
    _ = try fixture.depot.backUp(to: "\(backup)/")
    let before =
      try FileManager.default.attributesOfItem(atPath: "\(backup)/manifest.json")[.modificationDate] as? Date
    #expect(
      failure { () throws(BackupError) in try fixture.depot.backUp(to: backup) }?.contains("is there already")
        == true)
    let after =
      try FileManager.default.attributesOfItem(atPath: "\(backup)/manifest.json")[.modificationDate] as? Date
    #expect(after == before)
    let refused = failure { () throws(BackupError) in try Depot.restore(from: backup, to: fixture.path) }
    #expect(
      refused
        == "\(fixture.path)/catalogue.sqlite is there already: nothing was changed, choose another folder")
    #expect(try fixture.depot.verify(repairing: false).packages == 3)
  }

  @Test func whatAKilledBackupLeftIsReplaced() throws {
    try FileManager.default.createDirectory(atPath: "\(backup).part/blobs", withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: "\(backup).part/catalogue.sqlite"))
    #expect(try fixture.depot.backUp(to: backup).packages == 3)
    #expect(!FileManager.default.fileExists(atPath: "\(backup).part"))
  }

  @Test func damageOfABackupIsTold() throws {
    _ = try fixture.depot.backUp(to: backup)
    #expect(
      failure { () throws(BackupError) in try Depot.restore(from: folder.path, to: restored) }?.contains(
        "holds no backup") == true)
    var bytes = Samples.game("a 1.1")
    bytes[40] ^= 1
    try FileManager.default.removeItem(atPath: blob("a", "1.1", in: backup))
    try Data(bytes).write(to: URL(filePath: blob("a", "1.1", in: backup)))
    let report = try Depot.restore(from: backup, to: restored)
    #expect(report.lost.map(\.reason) == ["it is damaged in the backup"] && report.packages == 2)
    try FileManager.default.removeItem(atPath: restored)
    let manifest = "\(backup)/manifest.json"
    let text = try String(contentsOfFile: manifest, encoding: .utf8)
    try text.replacing("\"format\":1", with: "\"format\":2").write(
      toFile: manifest, atomically: true, encoding: .utf8)
    #expect(
      failure { () throws(BackupError) in try Depot.restore(from: backup, to: restored) }?.contains(
        "a newer program") == true)
    try "{".write(toFile: manifest, atomically: true, encoding: .utf8)
    #expect(
      failure { () throws(BackupError) in try Depot.restore(from: backup, to: restored) }?.contains(
        "is damaged") == true)
    try text.write(toFile: manifest, atomically: true, encoding: .utf8)
    let catalogue = try FileHandle(forUpdating: URL(filePath: "\(backup)/catalogue.sqlite"))
    try catalogue.seek(toOffset: 5000)
    try catalogue.write(contentsOf: [1, 2, 3])
    try catalogue.close()
    #expect(
      failure { () throws(BackupError) in try Depot.restore(from: backup, to: restored) }?.contains(
        "nothing was restored") == true)
    #expect(!FileManager.default.fileExists(atPath: "\(restored)/catalogue.sqlite"))
  }

  @Test func aServedFolderIsNotRestored() throws {
    _ = try fixture.depot.backUp(to: backup)
    try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: true)
    let lock = try File(path: "\(restored)/serve.lock", mode: .readWrite)
    try lock.lock(.exclusive)
    #expect(
      failure { () throws(BackupError) in try Depot.restore(from: backup, to: restored) }
        == "a server runs on \(restored)")
  }

  @Test(arguments: [Int32(28), 5]) func atEveryStepThatFailsThereIsAWholeBackupOrNone(errno: Int32) throws {
    // The first two open the depot.
    var step = 3
    while true {
      let volume = FaultyVolume(failing: step, errno: errno)
      let depot = try opened(fixture.path, on: volume)
      let error = failure { () throws(BackupError) in try depot.backUp(to: backup) }
      guard volume.failed != nil else {
        #expect(error == nil)
        break
      }
      if FileManager.default.fileExists(atPath: backup) {
        #expect(try Depot.restore(from: backup, to: restored).packages == 3, "\(step)")
        try FileManager.default.removeItem(atPath: restored)
        try FileManager.default.removeItem(atPath: backup)
      } else {
        #expect(error != nil, "\(step)")
      }
      step += 1
    }
    #expect(step > 8)
  }

  @Test(arguments: [Int32(28), 5]) func aRestoreThatFailedMadeNoDepotAndMayBeRunAgain(errno: Int32) throws {
    _ = try fixture.depot.backUp(to: backup)
    var step = 1
    while true {
      let volume = FaultyVolume(failing: step, errno: errno)
      let error = failure { () throws(BackupError) in
        try Depot.restore(from: backup, to: restored, volume: volume)
      }
      guard volume.failed != nil else { break }
      if FileManager.default.fileExists(atPath: "\(restored)/catalogue.sqlite") {
        #expect(try reopened().verify(repairing: false).packages == 3, "\(step)")
        try FileManager.default.removeItem(atPath: restored)
      } else {
        #expect(error != nil, "\(step)")
      }
      step += 1
    }
    #expect(step > 10)
    #expect(try reopened().verify(repairing: false).damages.isEmpty)
  }
}

/// A disk that has no names for files of another one.
private struct OtherDisk: Volume {
  private let system = SystemVolume()

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try system.write(bytes, to: file, at: offset)
  }
  func synchronize(_ file: File) throws(SystemError) { try system.synchronize(file) }
  func synchronize(_ directory: Directory) throws(SystemError) { try system.synchronize(directory) }
  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) { try system.rename(name, in: source, to: newName, in: target) }
  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try system.createSymlink(name, to: target, in: directory)
  }
  func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) { throw SystemError(errno: 18, operation: "link", path: name) }
}
