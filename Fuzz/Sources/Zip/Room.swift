import FuzzInput
import Glibc
import Platform

/// A folder in memory: the zip, and beside it a folder to unpack into. It goes with the program.
final class Room: Sendable {
  static let shared = Room()

  let zip: File
  let folder: Directory
  private let base: Directory

  private init() {
    let path = "/dev/shm/game-depot-fuzz-\(getpid())"
    do {
      base = try Directory(creating: path)
      zip = try File(path: path + "/zip", mode: .createNew)
      folder = try Directory(creating: path + "/in")
    } catch {
      fatalError("\(path): \(error)")
    }
    atexit { Room.shared.remove() }
  }

  func put(_ bytes: [UInt8]) throws {
    try zip.truncate(to: 0)
    try SystemVolume().write(bytes, to: zip, at: 0)
  }

  /// The content of each file below the folder by its path, which leaves the folder empty. By bytes, because texts are
  /// equal when only their forms differ.
  func takeFiles() -> [[UInt8]: [UInt8]] {
    do {
      hold(try base.names().sorted() == ["in", "zip"], "nothing is made beside the folder")
      var found: [[UInt8]: [UInt8]] = [:]
      try collect(folder, "", &found)
      for name in try folder.names() {
        if try !folder.removeTree(name) { fatalError("\(name) stays") }
      }
      return found
    } catch {
      fatalError("\(error)")
    }
  }

  private func collect(_ directory: Directory, _ prefix: String, _ found: inout [[UInt8]: [UInt8]]) throws {
    for name in try directory.names() {
      guard let status = try directory.status(of: name) else { continue }
      switch status.kind {
      case .directory: try collect(try directory.directory(name), prefix + name + "/", &found)
      case .regular:
        let file = try directory.file(name, mode: .read)
        found[Array((prefix + name).utf8)] = try file.bytes(at: 0, count: Int(status.size))
      case .symlink, .other: hold(false, "nothing but files and folders is made")
      }
    }
  }

  private func remove() {
    _ = try? Directory(path: "/dev/shm").removeTree("game-depot-fuzz-\(getpid())")
  }
}
