import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import ZipArchive

/// A volume whose nth step fails; counts its steps otherwise.
private final class FailingVolume: Volume {
  private let steps: Mutex<(left: Int, log: [String])>
  private let real = SystemVolume()

  init(failingAt step: Int = .max) { steps = Mutex((step, [])) }

  var log: [String] { steps.withLock { $0.log } }

  private func step(_ name: String) throws(SystemError) {
    let fails = steps.withLock { state in
      state.log.append(name)
      state.left -= 1
      return state.left == 0
    }
    if fails { throw SystemError(errno: 5, operation: name) }
  }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try step("write")
    try real.write(bytes, to: file, at: offset)
  }

  func synchronize(_ file: File) throws(SystemError) {
    try step("fsync " + (file.path as NSString).lastPathComponent)
    try real.synchronize(file)
  }

  func synchronize(_ directory: Directory) throws(SystemError) {
    try step("fsync " + (directory.path as NSString).lastPathComponent + "/")
    try real.synchronize(directory)
  }

  func rename(_ name: String, in source: Directory, to newName: String, in target: Directory)
    throws(SystemError)
  {}
  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {}
}

@Suite struct UnpackTests {
  private let game = ZipBuilder.zip([
    "index.html": "hello", "js/lib/a.js": "a", "js/b.js": .repeating(7, count: 700_000), "empty/": "",
  ])

  private func reader(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> PackageReader {
    let path = try folder.write(bytes, as: "package.zip")
    return try PackageReader(file: try File(path: path, mode: .read), options: .standard)
  }

  @Test func makesEveryFileAndFolderDurable() throws {
    let folder = try TemporaryFolder()
    let volume = FailingVolume()
    try reader(game, in: folder).unpack(into: try Directory(creating: folder.path + "/out"), volume: volume)
    let synced = volume.log.filter { $0.hasPrefix("fsync") }
    #expect(
      Set(synced) == [
        "fsync index.html", "fsync a.js", "fsync b.js", "fsync js/", "fsync lib/", "fsync empty/",
        "fsync out/",
      ])
    #expect(synced.last == "fsync out/" && synced.count == 7)
    #expect(volume.log.filter { $0 == "write" }.count == 5)
  }

  @Test func writesNothingDurableWhenNotAsked() throws {
    let folder = try TemporaryFolder()
    let volume = FailingVolume()
    try reader(game, in: folder).unpack(
      into: try Directory(creating: folder.path + "/out"), volume: volume, durable: false)
    #expect(Set(volume.log) == ["write"])
  }

  @Test func tellsEachFailureOfTheSystem() throws {
    for step in 1...12 {
      let folder = try TemporaryFolder()
      let target = try Directory(creating: folder.path + "/out")
      let reader = try reader(game, in: folder)
      do {
        try reader.unpack(into: target, volume: FailingVolume(failingAt: step))
        Issue.record("step \(step) did not fail")
      } catch {
        guard case .system(let failure) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(failure.errno == 5)
      }
    }
  }

  @Test func givesFilesAndFoldersTheirPermissions() throws {
    let folder = try TemporaryFolder()
    let odd = ZipEntry("index.html", "x").with { $0.externalAttributes = 0o100777 << 16 }
    let target = try Directory(creating: folder.path + "/out")
    try reader(ZipBuilder([odd, ZipEntry("a/b", "x")]).build(), in: folder).unpack(
      into: target, volume: SystemVolume())
    #expect(try target.status(of: "index.html")?.permissions == 0o644)
    #expect(try target.status(of: "a")?.permissions == 0o755)
  }

  @Test func tellsProgressAndStopsWhenAsked() throws {
    let folder = try TemporaryFolder()
    let reader = try reader(game, in: folder)
    var told: [UnpackProgress] = []
    try reader.unpack(
      into: try Directory(creating: folder.path + "/all"), volume: SystemVolume(),
      progress: { told.append($0) })
    #expect(told.last?.bytes == 700_006 && told.last?.entries == 3)
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.bytes <= $1.bytes && $0.entries <= $1.entries })

    var asked = 0
    let isCancelled = { () -> Bool in
      asked += 1
      return asked > 4
    }
    let part = try Directory(creating: folder.path + "/part")
    #expect(throws: ZipError.cancelled) {
      try reader.unpack(into: part, volume: SystemVolume(), isCancelled: isCancelled)
    }
  }

  @Test func overwritesNothing() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    _ = try folder.write([1], as: "out/index.html")
    #expect(throws: ZipError.self) {
      try reader(game, in: folder).unpack(into: target, volume: SystemVolume())
    }
    #expect(try tree(folder.path + "/out")["index.html"] == [1])
  }

  @Test func followsNoSymlinkThatIsThere() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    _ = try Directory(creating: folder.path + "/elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/out/js", withDestinationPath: folder.path + "/elsewhere")
    #expect(throws: ZipError.self) {
      try reader(game, in: folder).unpack(into: target, volume: SystemVolume())
    }
    #expect(try tree(folder.path + "/elsewhere").isEmpty)
  }

  @Test func refusesAPlanThatIsNotAccepted() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    do {
      try reader(ZipBuilder.zip(["../a": "x", "CON": "x"]), in: folder).unpack(
        into: target, volume: SystemVolume())
      Issue.record("unpacked")
    } catch ZipError.refused(let findings) {
      #expect(Set(findings.map(\.rule)) == [.parentPath, .reservedName])
    }
    #expect(try tree(folder.path + "/out").isEmpty)
  }

  @Test func refusesContentThatIsNotAsDeclared() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    let bytes = ZipBuilder([ZipEntry("index.html", "x").with { $0.crc32 = 1 }]).build()
    do {
      try reader(bytes, in: folder).unpack(into: target, volume: SystemVolume())
      Issue.record("unpacked")
    } catch ZipError.refused(let findings) {
      #expect(findings.map(\.rule) == [.crcMismatch])
    }
  }

  @Test func namesTheFilesThatNeedAPasswordBeforeItWrites() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    let bytes = ZipBuilder([ZipEntry("index.html", "x"), Encrypted.zipCrypto("secret")]).build()
    #expect(throws: ZipError.encrypted(paths: ["secret"])) {
      try reader(bytes, in: folder).unpack(into: target, volume: SystemVolume())
    }
    #expect(try tree(folder.path + "/out").isEmpty)
  }

  @Test func namesWhatFailedInItsErrors() {
    let error = ZipError.refused([Finding(.duplicate, path: "a", "twice"), Finding(.ratio, "big")])
    #expect(error.description == "error duplicate a: twice (and 1 more)")
    #expect(ZipError.encrypted(paths: ["a", "b"]).description == "needs a password: a, b")
    #expect(ZipError.cancelled.description == "cancelled")
    #expect(
      ZipError.system(SystemError(errno: 2, operation: "open", path: "x")).description.hasPrefix("open x: "))
  }
}
