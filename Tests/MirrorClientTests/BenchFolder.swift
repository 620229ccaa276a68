import Foundation
import Platform

/// A folder of one test, gone when the test is.
final class BenchFolder: Sendable {
  let path: String

  init() throws {
    // Fault loops fsync thousands of times: memory where there is some to be had.
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
    path = parent + "mirror-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // Best effort: a leftover in the temporary folder harms nothing.
    try? FileManager.default.removeItem(atPath: path)
  }

  func text(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(path)/\(name)") }

  func names(_ name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)")) ?? []).sorted()
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(name)")
  }

  func link(_ name: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(name)")
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }

  /// The number of a file, which two names of one file have in common; 0 when there is none.
  func inode(_ name: String) -> UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
  }

  func permissions(_ name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  func setPermissions(_ permissions: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: "\(path)/\(name)")
  }

  /// Makes a file whose name is no UTF-8.
  func writeNoText(in folder: String) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", #"printf x > "$0/$(printf '\377\376')""#, "\(path)/\(folder)"]
    try shell.run()
    shell.waitUntilExit()
  }

  func link(_ target: String, at name: String) throws {
    try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  /// Gives a file other bytes of the same length, and the time it had: only its digest tells.
  func rot(_ name: String) throws {
    let full = "\(path)/\(name)"
    let time = try File(path: full, mode: .read).status.modifiedAtNanoseconds
    var bytes = try Data(contentsOf: URL(fileURLWithPath: full))
    bytes[bytes.count / 2] ^= 1
    let permissions = permissions(name)
    try setPermissions(0o644, of: name)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: full))
    try handle.write(contentsOf: bytes)
    try handle.close()
    try setPermissions(permissions, of: name)
    // To the nanosecond, which Foundation's dates do not keep.
    try File(path: full, mode: .read).setModified(atNanoseconds: time)
  }

  /// Every file below a folder with what it holds, and every symlink with its target.
  func tree(_ name: String) -> [String: String] {
    var found: [String: String] = [:]
    let names = FileManager.default.enumerator(atPath: "\(path)/\(name)")
    while let child = names?.nextObject() as? String {
      if let target = link("\(name)/\(child)") { found[child] = "-> " + target; continue }
      if let text = text("\(name)/\(child)") { found[child] = text }
    }
    return found
  }

  func write(_ text: String, to name: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Every path and what stands there; what SQLite makes beside a file to read it is no state.
  func everything() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for case let name as String in try requireEnumerator()
    where !name.hasSuffix("-shm") && !name.hasSuffix("-wal") {
      found[name] = FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data()
    }
    return found
  }

  private func requireEnumerator() throws -> FileManager.DirectoryEnumerator {
    guard let names = FileManager.default.enumerator(atPath: path) else { throw CocoaError(.fileReadUnknown) }
    return names
  }
}
