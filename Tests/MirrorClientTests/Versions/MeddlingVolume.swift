import Platform
import Synchronization

/// The real file system, on which something is done to the files of a version when it comes to be in use: a disk that
/// loses them between unpacking and the look at them. Counts clones and links, and can do without either.
final class MeddlingVolume: Volume {
  /// What the file system is capable of.
  enum Sharing: Sendable { case system, clones, links, neither }

  private let meddle: @Sendable (String) -> Void
  private let sharing: Sharing
  private let counts = Mutex((clones: 0, links: 0))
  private let system = SystemVolume()

  /// `meddle` is told the path of the folder that comes to be in use, when it has its name.
  init(sharing: Sharing = .system, meddle: @escaping @Sendable (String) -> Void = { _ in }) {
    self.meddle = meddle
    self.sharing = sharing
  }

  var clones: Int { counts.withLock { $0.clones } }
  var links: Int { counts.withLock { $0.links } }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try system.write(bytes, to: file, at: offset)
  }
  func synchronize(_ file: File) throws(SystemError) { try system.synchronize(file) }
  func synchronize(_ directory: Directory) throws(SystemError) { try system.synchronize(directory) }

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try system.rename(name, in: source, to: newName, in: target)
  }

  func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError) {
    try system.exchange(name, in: source, with: other, in: target)
    meddle("\(target.path)/\(other)")
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    meddle("\(directory.path)/\(target)")
    try system.createSymlink(name, to: target, in: directory)
  }

  func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    guard sharing == .system || sharing == .links else { throw SystemError(errno: 18, operation: "link") }
    counts.withLock { $0.links += 1 }
    try system.link(name, in: source, to: newName, in: target)
  }

  func clone(_ source: File, to target: File) throws(SystemError) {
    guard sharing == .clones else { throw SystemError(errno: 95, operation: "clone") }
    counts.withLock { $0.clones += 1 }
    try system.write(source.bytes(at: 0, count: Int(source.size)), to: target, at: 0)
  }
}
