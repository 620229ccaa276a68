import Foundation

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
