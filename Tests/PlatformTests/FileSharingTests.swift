import TestSupport
import Testing

@testable import Platform

@Suite struct FileSharingTests {
  private let folder: TemporaryFolder
  private let directory: Directory
  private let volume = SystemVolume()

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  private func write(_ text: String, to name: String) throws -> File {
    let file = try directory.file(name, mode: .createNew)
    try volume.write(Array(text.utf8), to: file, at: 0)
    return file
  }

  @Test func givesAFileASecondName() throws {
    let file = try write("hello", to: "a")
    try directory.createDirectory("sub")
    try volume.link("a", in: directory, to: "sub/b", in: directory)
    #expect(try directory.status(of: "sub/b")?.inode == file.status.inode)
    #expect(throws: SystemError.self) {
      try volume.link("a", in: directory, to: "sub/b", in: directory)
    }
    #expect(throws: SystemError.self) { try volume.link("none", in: directory, to: "c", in: directory) }
  }

  /// Where the file system has clones (btrfs, XFS); elsewhere it says so and leaves the file empty.
  @Test func clonesOrSaysThatItCannot() throws {
    let source = try write("hello", to: "a")
    let target = try directory.file("b", mode: .createNew)
    do throws(SystemError) {
      try volume.clone(source, to: target)
      #expect(try target.bytes(at: 0, count: 9) == Array("hello".utf8))
    } catch {
      #expect([18, 22, 25, 95].contains(error.errno), "\(error)")
      #expect(try target.size == 0)
    }
  }

  @Test func removesTreesAndNothing() throws {
    _ = try directory.createDirectories("a/b/c")
    _ = try write("x", to: "a/b/x")
    try directory.createSymlink("a/link", to: "/etc")
    try volume.removeTree("a", in: directory)
    #expect(try directory.names() == [])
    try volume.removeTree("a", in: directory)
    try volume.remove("a", in: directory)
    _ = try directory.createDirectories("full/x")
    #expect(throws: SystemError.self) { try volume.remove("full", in: directory) }
  }

  @Test(arguments: [1_790_000_000_123_456_789, 0, -1, -1_500_000_000] as [Int64])
  func setsTimesToTheNanosecond(time: Int64) throws {
    let file = try write("x", to: "a")
    try file.setModified(atNanoseconds: time)
    #expect(try file.status.modifiedAtNanoseconds == time)
  }
}
