import TestSupport
import Testing

@testable import Platform

@Suite struct PendingFileTests {
  private let folder: TemporaryFolder
  private let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  @Test func appearsUnderItsNameOnlyWhenItIsCommitted() throws {
    let old = try directory.file("a", mode: .createNew)
    try old.write([1].span, at: 0)
    let pending = try PendingFile(replacing: "a", in: directory)
    try pending.file.write([2, 3].span, at: 0)
    let names = try directory.names()
    #expect(names.count == 2)
    #expect(PendingFile.isPendingName(names[0]))
    #expect(try directory.file("a", mode: .read).size == 1)
    try pending.commit(through: SystemVolume())
    #expect(try directory.names() == ["a"])
    #expect(try directory.file("a", mode: .read).size == 2)
  }

  @Test func goesWithoutATraceWhenItIsNotCommitted() throws {
    do {
      let pending = try PendingFile(replacing: "a", in: directory)
      try pending.file.write([2, 3].span, at: 0)
    }
    #expect(try directory.names().isEmpty)
  }

  @Test func standsBesideANameInASubfolder() throws {
    _ = try directory.createDirectory("sub")
    let pending = try PendingFile(replacing: "sub/a", in: directory)
    #expect(try directory.names() == ["sub"])
    try pending.commit(through: SystemVolume())
    #expect(try directory.directory("sub").names() == ["a"])
    #expect(throws: SystemError.self) { try PendingFile(replacing: "none/a", in: directory) }
    #expect(throws: SystemError.self) { try PendingFile(replacing: "../a", in: directory) }
  }

  @Test(arguments: [1, 2]) func aFailedStepLeavesTheOldFile(step: Int) throws {
    _ = try directory.file("a", mode: .createNew)
    do {
      let pending = try PendingFile(replacing: "a", in: directory)
      try pending.file.write([2, 3].span, at: 0)
      #expect(throws: SystemError.self) { try pending.commit(through: FaultyVolume(failing: step, errno: 5)) }
    }
    #expect(try directory.names() == ["a"])
    #expect(try directory.file("a", mode: .read).size == 0)
  }

  @Test(arguments: [".pending-.part", ".pending-x", "a", ".pending-0123456789abcdef0123456789abcdef.par"])
  func knowsItsNamesFromOthers(name: String) {
    #expect(!PendingFile.isPendingName(name))
  }

  @Test func tellsNamesThatAreNoUTF8AsBytes() throws {
    _ = try directory.file("b", mode: .createNew)
    _ = try directory.file("\u{e9}", mode: .createNew)
    #expect(try directory.rawNames() == [[0x62], [0xC3, 0xA9]])
    #expect(try directory.status.kind == .directory)
    #expect(try directory.status.inode == Directory(path: directory.path).status.inode)
  }
}
