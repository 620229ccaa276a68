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

  /// Enough for several threads.
  private static let large: [UInt8] = {
    var entries = (0..<12).map { ZipEntry("a/b/\($0).bin", content($0)) }
    entries.append(ZipEntry("index.html", "hello"))
    return ZipBuilder(entries).build()
  }()

  /// Repeats itself only out of deflate's sight.
  private static let noise: [UInt8] = {
    var state: UInt32 = 1
    return (0..<65_536).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
  }()

  private static func content(_ number: Int, count: Int = 100_000) -> FileContent {
    var bytes = Array(noise[number...])
    while bytes.count < count * (number + 1) { bytes += noise }
    return FileContent(Array(bytes[..<(count * (number + 1))]))
  }

  private func reader(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> PackageReader {
    let path = try folder.write(bytes, as: "package.zip")
    return try PackageReader(file: try File(path: path, mode: .read), options: .standard)
  }

  @Test func makesEveryFileAndFolderDurable() throws {
    let folder = try TemporaryFolder()
    let volume = FailingVolume()
    try reader(game, in: folder).unpack(
      into: try Directory(creating: folder.path + "/out"), volume: volume, options: .install)
    let synced = volume.log.filter { $0.hasPrefix("fsync") }
    #expect(
      Set(synced) == [
        "fsync index.html", "fsync a.js", "fsync b.js", "fsync js/", "fsync lib/", "fsync empty/",
        "fsync out/",
      ])
    #expect(synced.last == "fsync out/" && synced.count == 7)
    #expect(volume.log.filter { $0 == "write" }.count == 3)
  }

  @Test func writesNothingDurableWhenNotAsked() throws {
    let folder = try TemporaryFolder()
    let volume = FailingVolume()
    try reader(game, in: folder).unpack(
      into: try Directory(creating: folder.path + "/out"), volume: volume, options: .quick)
    #expect(Set(volume.log) == ["write"])
  }

  @Test func tellsEachFailureOfTheSystem() throws {
    for step in 1...10 {
      let folder = try TemporaryFolder()
      let target = try Directory(creating: folder.path + "/out")
      let reader = try reader(game, in: folder)
      do {
        try reader.unpack(into: target, volume: FailingVolume(failingAt: step), options: .install)
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
      into: target, volume: SystemVolume(), options: .install)
    #expect(try target.status(of: "index.html")?.permissions == 0o644)
    #expect(try target.status(of: "a")?.permissions == 0o755)
  }

  @Test(arguments: [1, 4]) func tellsWhatHappens(threads: Int) throws {
    let folder = try TemporaryFolder()
    let reader = try reader(Self.large, in: folder)
    let told = Mutex<[UnpackEvent]>([])
    try reader.unpack(
      into: try Directory(creating: folder.path + "/all"), volume: SystemVolume(), options: .quick(threads),
      observe: { event in
        told.withLock { $0.append(event) }
        return .goOn
      })
    let events = told.withLock { $0 }
    let size = reader.plan.unpackedSize
    #expect(events.first == .begins(files: 13, bytes: size))
    #expect(events.last == .ends(UnpackProgress(bytes: size, entries: 13)))
    var progress = UnpackProgress(bytes: 0, entries: 0)
    var open: Set<Int> = []
    var done: Set<Int> = []
    for event in events {
      switch event {
      case .begins, .ends: break
      case .beginsFile(let entry, let index):
        #expect(entry == reader.plan.files[index] && open.insert(index).inserted)
      case .progress(let now):
        #expect(now.bytes > progress.bytes && now.entries >= progress.entries)
        progress = now
      case .endsFile(let entry, let index):
        #expect(entry == reader.plan.files[index] && open.remove(index) != nil && done.insert(index).inserted)
      }
    }
    #expect(open.isEmpty && done.count == 13 && progress.bytes == size)
  }

  @Test(arguments: [0, 1, 2, 5, 20]) func stopsWhenItsObserverSaysSo(after count: Int) throws {
    let folder = try TemporaryFolder()
    let left = Mutex(count)
    let target = try Directory(creating: folder.path + "/part")
    #expect(throws: ZipError.cancelled) {
      try reader(Self.large, in: folder).unpack(
        into: target, volume: SystemVolume(), options: .quick(2),
        observe: { _ in
          left.withLock { left in
            left -= 1
            return left < 0 ? .cancel : .goOn
          }
        })
    }
    // From then on it is told nothing.
    #expect(left.withLock { $0 } == -1)
    #expect(try tree(folder.path + "/part").count < 13 + 2)
  }

  @Test func stopsWhenAsked() throws {
    let folder = try TemporaryFolder()
    let asked = Atomic(0)
    let part = try Directory(creating: folder.path + "/part")
    let reader = try reader(game, in: folder)
    #expect(throws: ZipError.cancelled) {
      try reader.unpack(
        into: part, volume: SystemVolume(), options: .install,
        isCancelled: { asked.add(1, ordering: .relaxed).newValue > 3 })
    }
  }

  @Test(arguments: [1, 2, 4]) func unpacksTheSameWithAnyNumberOfThreads(threads: Int) throws {
    let folder = try TemporaryFolder()
    let reader = try reader(Self.large, in: folder)
    try reader.unpack(
      into: try Directory(creating: folder.path + "/out"), volume: SystemVolume(), options: .quick(threads))
    let found = try tree(folder.path + "/out")
    #expect(found.count == 13 + 2)
    for number in 0..<12 {
      #expect(found["a/b/\(number).bin"] == Self.content(number).bytes)
    }
    let report = try reader.verifyContents(digests: true, threads: threads)
    #expect(report.isAccepted && report.files.count == 13)
    #expect(report.files[12].sha256 == Hash.digest(of: Array("hello".utf8), .sha256))
    #expect(report.files[3].md5 == Hash.digest(of: Self.content(3).bytes, .md5))
  }

  @Test func tellsFindingsInTheOrderOfTheZip() throws {
    var entries = (0..<40).map { ZipEntry("\($0).bin", Self.content($0, count: 2_000)) }
    for index in stride(from: 0, to: 40, by: 3) { entries[index].crc32 ^= 1 }
    let folder = try TemporaryFolder()
    let report = try reader(ZipBuilder(entries).build(), in: folder).verifyContents(digests: true, threads: 4)
    #expect(report.findings.map(\.path) == stride(from: 0, to: 40, by: 3).map { "\($0).bin" })
    #expect(report.files.isEmpty)
  }

  @Test func keepsOrReplacesWhatIsThere() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    let reader = try reader(game, in: folder)
    _ = try folder.write([1], as: "out/index.html")
    try reader.unpack(into: target, volume: SystemVolume(), options: .quick(existing: .keep))
    var found = try tree(folder.path + "/out")
    #expect(found["index.html"] == [1] && found["js/lib/a.js"] == [0x61])
    _ = try folder.write([2], as: "out/js/lib/a.js")
    try reader.unpack(into: target, volume: SystemVolume(), options: .quick(existing: .replace))
    found = try tree(folder.path + "/out")
    #expect(found["index.html"] == Array("hello".utf8) && found["js/lib/a.js"] == [0x61])
    // Nothing is left of how that was done.
    #expect(found.count == 6)
  }

  @Test func leavesNothingOfAFileThatCouldNotReplaceAnother() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    try target.createDirectory("index.html")
    let bytes = ZipBuilder([ZipEntry("index.html", "x")]).build()
    #expect(throws: ZipError.self) {
      try reader(bytes, in: folder).unpack(
        into: target, volume: SystemVolume(), options: .quick(existing: .replace))
    }
    #expect(try tree(folder.path + "/out") == ["index.html/": []])
  }

  @Test func keepsTheDatesOfItsEntriesWhenAsked() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    // 2024-02-29 12:34:56 in MS-DOS's way, and 1,700,000,001 in Info-ZIP's.
    let dos = ZipEntry("dos", "x").with { $0.dosTime = 0x585D_645C }
    let unix = ZipEntry("unix", "x").with { $0.extra = [0x55, 0x54, 5, 0, 1, 0x01, 0xF1, 0x53, 0x65] }
    let none = ZipEntry("none", "x").with { $0.dosTime = 0 }
    var options = UnpackOptions.quick
    options.keepsDates = true
    try reader(ZipBuilder([dos, unix, none]).build(), in: folder).unpack(
      into: target, volume: SystemVolume(), options: options)
    #expect(try target.status(of: "dos")?.modifiedAt == 1_709_210_096)
    #expect(try target.status(of: "unix")?.modifiedAt == 1_700_000_001)
    #expect(try target.status(of: "none")?.modifiedAt == 315_532_800)
  }

  @Test func overwritesNothing() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    _ = try folder.write([1], as: "out/index.html")
    #expect(throws: ZipError.self) {
      try reader(game, in: folder).unpack(into: target, volume: SystemVolume(), options: .install)
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
      try reader(game, in: folder).unpack(into: target, volume: SystemVolume(), options: .install)
    }
    #expect(try tree(folder.path + "/elsewhere").isEmpty)
  }

  @Test func refusesAPlanThatIsNotAccepted() throws {
    let folder = try TemporaryFolder()
    let target = try Directory(creating: folder.path + "/out")
    do {
      try reader(ZipBuilder.zip(["../a": "x", "CON": "x"]), in: folder).unpack(
        into: target, volume: SystemVolume(), options: .install)
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
      try reader(bytes, in: folder).unpack(into: target, volume: SystemVolume(), options: .install)
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
      try reader(bytes, in: folder).unpack(into: target, volume: SystemVolume(), options: .install)
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
