import Platform
import Synchronization
import TestSupport
import Testing
import ZipArchive

/// Offers one file, whatever is asked for, and shares by copying.
private final class OneCandidate: FileSharing {
  private let file: File
  private let folder: Directory
  private let isWilling: Bool
  private let shares = Mutex<[String]>([])

  init(_ file: File, in folder: Directory, isWilling: Bool = true) {
    (self.file, self.folder, self.isWilling) = (file, folder, isWilling)
  }

  var shared: [String] { shares.withLock { $0.sorted() } }

  func candidate(for entry: PackageEntry) -> SharedFile? {
    SharedFile(file: file, folder: folder, name: "old")
  }

  func share(
    _ candidate: SharedFile, as name: String, in folder: Directory
  ) throws(SystemError) -> FileStatus? {
    guard isWilling else { return nil }
    shares.withLock { $0.append(name) }
    let copy = try folder.file(name, mode: .createNew)
    try SystemVolume().write(try candidate.file.bytes(at: 0, count: 1 << 20), to: copy, at: 0)
    return try copy.status
  }
}

@Suite struct UnpackedFilesTests {
  private let folder: TemporaryFolder
  private let target: Directory
  private let reader: PackageReader

  init() throws {
    folder = try TemporaryFolder()
    target = try Directory(creating: folder.path + "/out")
    let game = ZipBuilder.zip([
      "index.html": "hello", "js/lib/a.js": .repeating(7, count: 700_000), "js/b.js": "b", "empty/": "",
    ])
    let path = try folder.write(game, as: "package.zip")
    reader = try PackageReader(file: try File(path: path, mode: .read), options: .standard)
  }

  private var options: UnpackOptions {
    var options = UnpackOptions.quick
    options.digests = true
    return options
  }

  @Test func tellsWhatItWrote() throws {
    let unpacked = try reader.unpack(into: target, volume: SystemVolume(), options: options)
    #expect(unpacked.folders == ["empty", "js", "js/lib"])
    #expect(
      unpacked.files.map(\.sha256) == [
        Hash.digest(of: Array("hello".utf8), .sha256),
        Hash.digest(of: [UInt8](repeating: 7, count: 700_000), .sha256),
        Hash.digest(of: Array("b".utf8), .sha256),
      ])
    #expect(unpacked.files[0].crc32 == 0x3610_A686 && !unpacked.files[0].isShared)
    let status = try target.status(of: "js/b.js")
    #expect(unpacked.files[2].modifiedAtNanoseconds == status?.modifiedAtNanoseconds)
  }

  @Test func tellsNothingOfFilesThatItWasNotAskedToHash() throws {
    #expect(try reader.unpack(into: target, volume: SystemVolume(), options: .quick).files == [])
  }

  @Test func unpacksTheFilesItIsAskedForAndTheFoldersTheyNeed() throws {
    let unpacked = try reader.unpack(
      into: target, volume: SystemVolume(), options: options, only: ["js/lib/a.js", "nothing"])
    #expect(unpacked.folders == ["js", "js/lib"] && unpacked.files.count == 1)
    let found = try tree(folder.path + "/out")
    #expect(Set(found.keys) == ["js/", "js/lib/", "js/lib/a.js"])
  }

  @Test func takesTheRightToWriteWhenAsked() throws {
    var options = UnpackOptions.quick
    options.isReadOnly = true
    try reader.unpack(into: target, volume: SystemVolume(), options: options)
    for name in ["index.html", "js/b.js"] {
      #expect(try target.status(of: name)?.permissions == 0o444)
    }
    #expect(try target.status(of: "js")?.permissions == 0o755)
  }

  @Test func sharesAFileOnlyIfItHoldsTheVeryBytes() throws {
    let path = try folder.write(Array("b".utf8), as: "old")
    let sharing = OneCandidate(try File(path: path, mode: .read), in: try Directory(path: folder.path))
    let unpacked = try reader.unpack(
      into: target, volume: SystemVolume(), options: options, sharing: sharing)
    #expect(sharing.shared == ["b.js"])
    #expect(unpacked.files.map(\.isShared) == [false, false, true])
    #expect(unpacked.files[2].sha256 == Hash.digest(of: Array("b".utf8), .sha256))
    #expect(try tree(folder.path + "/out")["index.html"] == Array("hello".utf8))
  }

  /// The same length and the same beginning.
  @Test func aFileThatDiffersInItsLastByteIsWritten() throws {
    var bytes = [UInt8](repeating: 7, count: 700_000)
    bytes[699_999] = 8
    let path = try folder.write(bytes, as: "old")
    let sharing = OneCandidate(try File(path: path, mode: .read), in: try Directory(path: folder.path))
    try reader.unpack(into: target, volume: SystemVolume(), options: options, sharing: sharing)
    #expect(sharing.shared == [])
    #expect(try tree(folder.path + "/out")["js/lib/a.js"] == [UInt8](repeating: 7, count: 700_000))
  }

  @Test func aFileThatCannotBeSharedAfterAllIsWritten() throws {
    let path = try folder.write(Array("b".utf8), as: "old")
    let sharing = OneCandidate(
      try File(path: path, mode: .read), in: try Directory(path: folder.path), isWilling: false)
    let unpacked = try reader.unpack(
      into: target, volume: SystemVolume(), options: options, sharing: sharing)
    #expect(unpacked.files.allSatisfy { !$0.isShared })
    #expect(try tree(folder.path + "/out")["js/b.js"] == Array("b".utf8))
  }

  /// What is wrong with an entry is told, though a file that stands has the right bytes.
  @Test func anUnsoundEntryIsRefusedWhateverStands() throws {
    let bytes = ZipBuilder([ZipEntry("index.html", "x").with { $0.crc32 = 1 }]).build()
    let path = try folder.write(bytes, as: "bad.zip")
    let old = try folder.write(Array("x".utf8), as: "old")
    let sharing = OneCandidate(try File(path: old, mode: .read), in: try Directory(path: folder.path))
    let bad = try PackageReader(file: try File(path: path, mode: .read), options: .standard)
    #expect(throws: ZipError.self) {
      try bad.unpack(into: target, volume: SystemVolume(), options: options, sharing: sharing)
    }
    #expect(sharing.shared == [])
  }
}
