import Foundation
import TestSupport
import Testing

/// A folder with a depot, a token and room for a mirror.
final class Workshop {
  let folder: TemporaryFolder
  let token: String

  var depot: String { "\(folder.path)/depot" }
  var mirror: String { "\(folder.path)/mirror" }
  var tokenFile: String { "\(folder.path)/token" }

  init() throws {
    folder = try TemporaryFolder()
    let created = try Programs.run(
      "game-depot", "token", "create", "--data", "\(folder.path)/depot", "--name", "tests", "--scope", "admin"
    )
    #expect(created.status == 0, "\(created)")
    #expect(created.errors == "")
    token = String(created.output.dropLast())
    #expect(created.output.hasSuffix("\n"))
    try token.write(toFile: "\(folder.path)/token", atomically: true, encoding: .utf8)
  }

  func serve(_ more: String...) throws -> RunningServer {
    try RunningServer(
      "game-depot", ["serve", "--data", depot, "--listen", "127.0.0.1:0", "--disk-floor", "0"] + more,
      in: folder.path)
  }

  func sync(_ url: String, _ more: String...) throws -> Programs.Result {
    try Programs.run("mirror-sync", ["sync", "--server", url, "--dest", mirror] + more)
  }

  /// Writes a zip of these files.
  func zip(_ name: String, _ files: KeyValuePairs<String, String>) throws -> String {
    let builder = ZipBuilder(files.map { ZipEntry($0.key, FileContent(Array($0.value.utf8))) })
    let path = "\(folder.path)/\(name).zip"
    try Data(builder.build()).write(to: URL(filePath: path))
    return path
  }

  @discardableResult
  func publish(_ path: String, _ id: String, _ version: String, to url: String) throws -> Programs.Result {
    try Programs.run(
      "game-depot", "publish", path, "--game", id, "--h5-version", version, "--server", url, "--token-file",
      tokenFile)
  }

  /// The paths below a folder, each with its size and when it was changed; but for what SQLite keeps beside a file it reads.
  func everything(below path: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path)
    where !name.hasSuffix("-wal") && !name.hasSuffix("-shm") && name != "" {
      let status = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      let date = (status[.modificationDate] as? Date)?.timeIntervalSince1970
      found[name] = "\(status[.size] ?? "") \(date ?? 0)"
    }
    return found
  }

  /// The text of a file of the mirror; nil when there is none.
  func installed(_ path: String) -> String? {
    try? String(contentsOfFile: "\(mirror)/games/\(path)", encoding: .utf8)
  }
}
