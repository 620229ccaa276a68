import Foundation
import SQLite

/// A path in a folder of its own, removed with everything in it.
final class ScratchFile {
  let folder: URL
  var path: String { folder.appending(path: "test.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func database(_ mode: Database.Mode = .readWrite(create: true)) throws -> Database {
    try Database(path: path, mode: mode)
  }
}
