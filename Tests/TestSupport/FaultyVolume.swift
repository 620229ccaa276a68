public import Platform
import Synchronization

/// The real file system, until the nth step: that one fails, or it and all after it do.
public final class FaultyVolume: Volume {
  private struct State {
    var steps = 0
    var failed: String?
  }

  private let state = Mutex(State())
  private let failing: Int
  private let errno: Int32
  private let system: any Volume

  /// Fails with `errno` at step number `step`, counted from 1.
  public init(failing step: Int, errno: Int32, on disk: any Volume = SystemVolume()) {
    system = disk
    failing = step
    self.errno = errno
  }

  /// Which step failed; nil when there were not so many.
  public var failed: String? { state.withLock { $0.failed } }

  private func step(_ operation: String, _ path: String) throws(SystemError) {
    let fails = state.withLock { state in
      state.steps += 1
      if state.steps == failing { state.failed = "\(operation) \(path)" }
      return state.steps == failing
    }
    if fails { throw SystemError(errno: errno, operation: operation, path: path) }
  }

  /// A step.
  public func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try step("write", file.path)
    try system.write(bytes, to: file, at: offset)
  }

  /// A step.
  public func synchronize(_ file: File) throws(SystemError) {
    try step("fsync", file.path)
    try system.synchronize(file)
  }

  /// A step.
  public func synchronize(_ directory: Directory) throws(SystemError) {
    try step("fsync", directory.path)
    try system.synchronize(directory)
  }

  /// A step.
  public func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try step("rename", "\(source.path)/\(name)")
    try system.rename(name, in: source, to: newName, in: target)
  }

  /// A step.
  public func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError) {
    try step("exchange", "\(source.path)/\(name)")
    try system.exchange(name, in: source, with: other, in: target)
  }

  /// A step.
  public func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try step("symlink", "\(directory.path)/\(name)")
    try system.createSymlink(name, to: target, in: directory)
  }

  /// A step.
  public func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try step("link", "\(source.path)/\(name)")
    try system.link(name, in: source, to: newName, in: target)
  }

  /// A step.
  public func clone(_ source: File, to target: File) throws(SystemError) {
    try step("clone", source.path)
    try system.clone(source, to: target)
  }

  /// A step.
  public func remove(_ name: String, in directory: Directory) throws(SystemError) {
    try step("remove", "\(directory.path)/\(name)")
    try system.remove(name, in: directory)
  }
}
