import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct FileTests {
  private let folder: TemporaryFolder
  private let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try folder.directory
  }

  @Test func readsWhatWasWritten() throws {
    let file = try directory.file("a", mode: .createNew)
    try file.write(Array("hello".utf8).span, at: 3)
    #expect(try file.size == 8)
    #expect(try file.bytes(at: 0, count: 100) == [0, 0, 0] + Array("hello".utf8))
    #expect(try file.bytes(at: 7, count: 100) == Array("o".utf8))
    #expect(try file.bytes(at: 8, count: 100).isEmpty)
    var buffer = [UInt8](repeating: 9, count: 4)
    // Never more than the buffer holds.
    #expect(try file.read(into: &buffer, count: 100, at: 4) == 4)
    #expect(buffer == Array("ello".utf8))
    try file.synchronize()
    #expect(try File(path: file.path, mode: .read).bytes(at: 3, count: 2) == Array("he".utf8))
  }

  @Test func cutsAndStretches() throws {
    let file = try directory.file("a", mode: .readWrite)
    try file.write(Array("hello".utf8).span, at: 0)
    try file.truncate(to: 2)
    try file.truncate(to: 4)
    #expect(try file.bytes(at: 0, count: 9) == [0x68, 0x65, 0, 0])
    #expect(throws: SystemError.self) { try file.truncate(to: -1) }
  }

  @Test func tellsWhatItIs() throws {
    let file = try directory.file("a", mode: .createNew)
    try file.setPermissions(0o400)
    let status = try file.status
    #expect(status.kind == .regular)
    #expect(status.permissions == 0o400)
    #expect(abs(status.modifiedAt - SystemClock.unixSeconds) < 100)
    #expect(try directory.status(of: "a") == status)
    #expect(try status.device == FileStatus(of: directory).device)
  }

  @Test func opensAsAskedFor() throws {
    let path = "\(directory.path)/a"
    #expect(throws: SystemError(errno: ENOENT, operation: "open", path: path)) {
      try File(path: path, mode: .read)
    }
    _ = try File(path: path, mode: .createNew)
    #expect(throws: SystemError(errno: EEXIST, operation: "open", path: path)) {
      try File(path: path, mode: .createNew)
    }
    try File(path: path, mode: .readWrite).write([UInt8(1)].span, at: 0)
    let file = try File(path: path, mode: .read)
    #expect(try file.size == 1)
    #expect(throws: SystemError(errno: EBADF, operation: "write", path: path)) {
      try file.write([UInt8(1)].span, at: 0)
    }
  }

  @Test func tellsWhyItCannotRead() throws {
    let file = try File(path: directory.path, mode: .read)
    #expect(throws: SystemError(errno: EISDIR, operation: "read", path: directory.path)) {
      try file.bytes(at: 0, count: 1)
    }
  }

  @Test func keepsOthersOutWhileItIsLocked() throws {
    let first = try directory.file("lock", mode: .readWrite)
    let second = try directory.file("lock", mode: .readWrite)
    #expect(try first.tryLock(.shared))
    #expect(try second.tryLock(.shared))
    #expect(try !second.tryLock(.exclusive))
    try first.unlock()
    try second.lock(.exclusive)
    #expect(try !first.tryLock(.shared))
    try second.unlock()
    #expect(try first.tryLock(.exclusive))
  }

  @Test func onlyAddsToAnAppendFile() throws {
    let path = "\(directory.path)/log"
    let (first, second) = (try AppendFile(path: path), try AppendFile(path: path))
    try first.write(Array("one ".utf8))
    try second.write(Array("two ".utf8))
    try first.write(Array("three".utf8))
    let file = try File(path: path, mode: .read)
    #expect(try file.bytes(at: 0, count: 100) == Array("one two three".utf8))
    #expect(try file.status.permissions & 0o027 == 0)
    try AppendFile(.output).write([])
    #expect(throws: SystemError.self) { try AppendFile(path: "/dev/full").write([1]) }
    #expect(throws: SystemError(errno: ENOENT, operation: "open", path: "/nowhere/log")) {
      try AppendFile(path: "/nowhere/log")
    }
  }

  @Test func saysWhatFailed() {
    let error = SystemError(errno: ENOSPC, operation: "fsync", path: "/data/x")
    #expect("\(error)" == "fsync /data/x: No space left on device")
    #expect("\(SystemError(errno: EDQUOT, operation: "write"))" == "write: Disk quota exceeded")
    #expect(error.isOutOfSpace && !error.isNotFound && !error.isAlreadyThere)
    #expect(SystemError(errno: EDQUOT, operation: "").isOutOfSpace)
    #expect(SystemError(errno: ENOENT, operation: "").isNotFound)
    #expect(SystemError(errno: EEXIST, operation: "").isAlreadyThere)
  }

  @Test func closesWhatItOwnsAndNothingElse() throws {
    let file = try directory.file("a", mode: .createNew)
    let copy = dup(file.number)
    do {
      let owned = FileDescriptor(owning: copy)
      #expect(owned.number == copy)
      #expect(owned.release() == copy)
    }
    #expect(fcntl(copy, F_GETFD) >= 0)
    close(copy)
  }
}

extension FileStatus {
  init(of directory: Directory) throws {
    self = try File(path: directory.path, mode: .read).status
  }
}
