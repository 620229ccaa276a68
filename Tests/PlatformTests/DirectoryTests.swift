import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DirectoryTests {
  private let folder: TemporaryFolder
  private let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  @Test func createsFoldersAndTheirParents() throws {
    let deep = try Directory(creating: "\(directory.path)/a/b//c/")
    #expect(try deep.names().isEmpty)
    #expect(try Directory(creating: "\(directory.path)/a/b/c").status(of: "x") == nil)
    let beneath = try directory.createDirectories("a/b/d")
    _ = try beneath.file("file", mode: .createNew)
    #expect(try directory.directory("a/b").names() == ["c", "d"])
    #expect(try directory.status(of: "a/b/d/file")?.kind == .regular)
    #expect(try !directory.createDirectory("a"))
    #expect(try directory.createDirectory("e"))
  }

  @Test func givesPermissionsToTheLastFolderOnly() throws {
    _ = try Directory(creating: "\(directory.path)/a/b", permissions: 0o700)
    #expect(try permissions("a/b") == 0o700)
    #expect(try permissions("a") != 0o700)
    _ = try Directory(creating: "\(directory.path)/a", permissions: 0o700)
    #expect(try permissions("a") != 0o700, "what is there stays as it is")
  }

  private func permissions(_ name: String) throws -> Int? {
    let path = "\(directory.path)/\(name)"
    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func doesNotTakeAFileForAFolder() throws {
    _ = try directory.file("a", mode: .createNew)
    #expect(throws: SystemError(errno: EEXIST, operation: "mkdir", path: "\(directory.path)/a")) {
      try directory.createDirectory("a")
    }
    #expect(throws: SystemError.self) { try Directory(creating: "\(directory.path)/a/b") }
    #expect(throws: SystemError.self) { try directory.directory("a") }
    #expect(try directory.status(of: "a/b") == nil)
  }

  /// As on a kernel, or in a container, without openat2(2).
  private func openedStepwise(_ name: String, _ flags: Int32 = O_RDONLY) throws -> FileStatus {
    let number = try directory.openStepwise(name, flags: flags | O_CLOEXEC, permissions: 0o644)
    return try File(owning: FileDescriptor(owning: number), path: name).status
  }

  @Test func opensTheSameOneComponentAfterTheOther() throws {
    _ = try directory.createDirectories("a/b")
    #expect(try openedStepwise("a/b/c", O_RDWR | O_CREAT | O_EXCL).kind == .regular)
    #expect(try openedStepwise("a//b/./c").inode == directory.status(of: "a/b/c")?.inode)
    #expect(try openedStepwise("a/b/").kind == .directory)
    #expect(try openedStepwise(".").inode == openedStepwise("./").inode)
    #expect(try directory.status(of: "a/b/c")?.permissions == 0o644)
    for (name, failure) in [
      ("../x", EXDEV), ("a/../../x", EXDEV), ("..", EXDEV), ("/etc/passwd", EXDEV), ("", ENOENT),
      ("a/x", ENOENT),
      ("a/b/c/", ENOTDIR), ("a/b/c/d", ENOTDIR),
    ] {
      #expect(throws: SystemError(errno: failure, operation: "open", path: "\(directory.path)/\(name)")) {
        try openedStepwise(name)
      }
    }
  }

  @Test func followsNoSymlinkOneComponentAfterTheOther() throws {
    _ = try directory.createDirectories("a/b")
    _ = try directory.file("a/b/c", mode: .createNew)
    try directory.createSymlink("link", to: "a")
    try directory.createSymlink("a/file", to: "b/c")
    for name in ["link/b/c", "a/file", "link", "link/"] {
      #expect(throws: SystemError(errno: ELOOP, operation: "open", path: "\(directory.path)/\(name)")) {
        try openedStepwise(name)
      }
    }
  }

  /// U+0301 is a mark upon the character before it, which a slash becomes another one by.
  @Test(arguments: [
    "../out", "a/../../out", "/etc/passwd", "..", ".", "", "a/..", "a/.", "../\u{301}out",
    "a/../../\u{301}out",
  ])
  func reachesNothingOutside(name: String) throws {
    _ = try directory.createDirectory("a")
    #expect(throws: SystemError.self) { try directory.file(name, mode: .readWrite) }
    #expect(throws: SystemError.self) { try directory.createDirectory(name) }
    #expect(throws: SystemError.self) { try directory.createSymlink(name, to: "x") }
    #expect(throws: SystemError.self) { try directory.rename("a", to: name, in: directory) }
    #expect(throws: SystemError.self) { try directory.removeTree(name) }
  }

  @Test func takesASlashForASlashWhateverFollows() throws {
    _ = try directory.createDirectories("a/\u{301}b/\u{338}c")
    #expect(try directory.directory("a").names() == ["\u{301}b"])
    _ = try directory.file("a/\u{301}b/\u{301}d", mode: .createNew)
    #expect(
      try directory.directory("a/\u{301}b").names()
        == ["\u{301}d", "\u{338}c"].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    _ = try Directory(creating: "\(directory.path)/x/\u{301}y")
    #expect(try directory.status(of: "x/\u{301}y")?.kind == .directory)
  }

  @Test func followsNoSymlink() throws {
    let outside = try TemporaryFolder()
    _ = try outside.directory.file("kept", mode: .createNew)
    try directory.createSymlink("link", to: outside.path)
    #expect(try directory.symlinkTarget("link") == outside.path)
    #expect(try directory.status(of: "link")?.kind == .symlink)
    let reached = SystemError(errno: ELOOP, operation: "open", path: "\(directory.path)/link/kept")
    #expect(throws: reached) { try directory.file("link/kept", mode: .read) }
    #expect(throws: SystemError.self) { try directory.file("link/new", mode: .createNew) }
    #expect(throws: SystemError.self) { try directory.directory("link") }
    #expect(throws: SystemError.self) { try directory.createDirectory("link/new") }
    #expect(throws: SystemError.self) { try directory.removeFile("link/kept") }
    #expect(try directory.removeTree("link"))
    #expect(try outside.directory.names() == ["kept"])
  }

  @Test func readsOnlySymlinksAsSymlinks() throws {
    _ = try directory.file("a", mode: .createNew)
    #expect(try directory.symlinkTarget("a") == nil)
    #expect(try directory.symlinkTarget("nothing") == nil)
    #expect(throws: SystemError.self) { try directory.createSymlink("a", to: "b") }
    let long = String(repeating: "x", count: 4000)
    try directory.createSymlink("long", to: long)
    #expect(try directory.symlinkTarget("long") == long)
  }

  @Test func removesAWholeTree() throws {
    for name in ["t/a/b/c", "t/a/d", "t/e"] { _ = try directory.createDirectories(name) }
    for name in ["t/a/1", "t/a/b/2", "t/e/3"] { _ = try directory.file(name, mode: .createNew) }
    try directory.createSymlink("t/e/loop", to: "..")
    #expect(try directory.removeTree("t"))
    #expect(try !directory.removeTree("t"))
    #expect(try directory.names().isEmpty)
  }

  @Test func removesAFileOnce() throws {
    _ = try directory.file("a", mode: .createNew)
    #expect(try directory.removeFile("a"))
    #expect(try !directory.removeFile("a"))
    #expect(try !directory.removeFile("nowhere/a"))
    _ = try directory.createDirectory("b")
    #expect(throws: SystemError(errno: EISDIR, operation: "unlink", path: "\(directory.path)/b")) {
      try directory.removeFile("b")
    }
  }

  @Test func listsNamesInTheOrderOfTheirBytes() throws {
    for name in ["b", "a", "ä", "Z", ".hidden", "a0"] { _ = try directory.file(name, mode: .createNew) }
    #expect(try directory.names() == [".hidden", "Z", "a", "a0", "b", "ä"])
  }

  @Test func doesNotGuessAtNamesThatAreNotUTF8() throws {
    let name: [CChar] = [0x61, -1, 0]
    let number = unsafe openat(directory.number, name, O_CREAT | O_WRONLY, 0o600)
    #expect(number >= 0)
    close(number)
    #expect(throws: SystemError(errno: EILSEQ, operation: "readdir", path: directory.path)) {
      try directory.names()
    }
    #expect(unsafe unlinkat(directory.number, name, 0) == 0)
  }

  @Test func tellsHowMuchRoomThereIs() throws {
    let room = try directory.room
    #expect(room.bytes > 0)
    #expect(throws: SystemError.self) { try Directory(path: "/nonexistent") }
  }
}

@Suite struct VolumeTests {
  private let folder: TemporaryFolder
  private let directory: Directory
  private let volume = SystemVolume()

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  private func put(_ name: String, _ text: String) throws {
    let file = try directory.file(name, mode: .createNew)
    try volume.write(Array(text.utf8), to: file, at: 0)
    try volume.synchronize(file)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try directory.file(name, mode: .read).bytes(at: 0, count: 100), as: UTF8.self)
  }

  @Test func replacesByRenaming() throws {
    let other = try directory.createDirectories("other/deep")
    try put("new", "new")
    try put("other/deep/old", "old")
    try volume.rename("new", in: directory, to: "old", in: other)
    try volume.synchronize(other)
    try volume.synchronize(directory)
    #expect(try text("other/deep/old") == "new")
    #expect(try directory.status(of: "new") == nil)
    let missing = SystemError(
      errno: ENOENT, operation: "rename to \(directory.path)/b:", path: "\(directory.path)/new")
    #expect(throws: missing) { try volume.rename("new", in: directory, to: "b", in: directory) }
  }

  @Test func swapsTwoNames() throws {
    try put("a", "1")
    try put("b", "2")
    try volume.exchange("a", in: directory, with: "b", in: directory)
    #expect(try text("a") == "2")
    #expect(try text("b") == "1")
    #expect(throws: SystemError.self) { try volume.exchange("a", in: directory, with: "c", in: directory) }
  }

  @Test func makesSymlinks() throws {
    try volume.createSymlink("current", to: "versions/1", in: directory)
    #expect(try directory.symlinkTarget("current") == "versions/1")
    #expect(throws: SystemError(errno: EEXIST, operation: "symlink", path: "\(directory.path)/current")) {
      try volume.createSymlink("current", to: "versions/2", in: directory)
    }
  }

  @Test func tellsThatTheDiskIsFull() throws {
    let full = try File(path: "/dev/full", mode: .readWrite)
    do {
      try volume.write([1], to: full, at: 0)
      Issue.record("a full device took a byte")
    } catch {
      #expect(error.isOutOfSpace)
    }
  }
}
