import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct DirectoryOpenedTests {
  private let folder: TemporaryFolder
  private let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  @Test func opensAFileAndTellsWhatItIs() throws {
    _ = try directory.createDirectory("a")
    let file = try directory.file("a/b", mode: .createNew)
    try file.write([1, 2, 3].span, at: 0)
    guard case .file(let opened, let status) = try directory.opened("a/b") else {
      Issue.record("no file")
      return
    }
    #expect(try opened.bytes(at: 0, count: 9) == [1, 2, 3])
    #expect(status.size == 3)
    guard case .directory = try directory.opened("a") else {
      Issue.record("no folder")
      return
    }
  }

  @Test func findsNothingWhereNothingCanBe() throws {
    _ = try directory.file("file", mode: .createNew)
    for name in ["missing", "file/x", "missing/x", String(repeating: "n", count: 256)] {
      #expect(try directory.opened(name) == nil, "\(name)")
    }
    let deep = String(repeating: "abcdefg/", count: 1024)
    #expect(try directory.opened(deep) == nil)
  }

  /// open(2) would wait for a writer of the pipe.
  @Test(.timeLimit(.minutes(1))) func waitsForNobody() throws {
    #expect(unsafe mkfifo("\(folder.path)/pipe", 0o600) == 0)
    #expect(unsafe symlink("/etc/passwd", "\(folder.path)/link") == 0)
    #expect(unsafe symlink("/etc", "\(folder.path)/etc") == 0)
    let socket = try Socket.listening(
      at: try #require(UnixSocketPath("\(folder.path)/socket")), mode: 0o600, backlog: 1)
    for name in ["pipe", "link", "etc/passwd", "socket"] {
      guard case .other = try directory.opened(name) else {
        Issue.record("\(name) was opened")
        return
      }
    }
    _ = consume socket
  }

  @Test func leadsNowhereElse() throws {
    _ = try directory.createDirectory("inner")
    let inner = try directory.directory("inner")
    _ = try inner.createDirectory("a")
    _ = try directory.file("secret", mode: .createNew)
    for name in ["../secret", "/etc/passwd", "a/../../secret"] {
      #expect(throws: SystemError.self) { _ = try inner.opened(name) }
    }
  }

  /// A pool of descriptors that has run dry is no missing file.
  @Test func tellsAFileThatMayNotBeRead() throws {
    guard getuid() != 0 else { return }
    let file = try directory.file("closed", mode: .createNew)
    try file.setPermissions(0)
    #expect(throws: SystemError.self) { _ = try directory.opened("closed") }
  }
}
