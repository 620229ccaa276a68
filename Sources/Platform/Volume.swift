/// The steps that make bytes durable, as a protocol: the seam through which tests fail the nth write, fsync or rename.
///
/// Safe to call from any thread. Every method throws the system's failure.
public protocol Volume: Sendable {
  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError)
  /// fsync(2) of a file.
  func synchronize(_ file: File) throws(SystemError)
  /// fsync(2) of a folder: makes the names in it durable.
  func synchronize(_ directory: Directory) throws(SystemError)
  /// rename(2) of `name` in `source` to `newName` in `target`, replacing a file or symlink there.
  func rename(_ name: String, in source: Directory, to newName: String, in target: Directory)
    throws(SystemError)
  /// renameat2(2) with RENAME_EXCHANGE: swaps what stands at two names, with no moment at which either is missing.
  func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError)
  /// symlink(2): a new symlink `name` in `directory`.
  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError)
  /// link(2): the file `name` in `source` gets a second name, `newName` in `target`. EMLINK, EXDEV or EPERM where the
  /// file system cannot.
  func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError)
  /// ioctl_ficlone(2): `target`, an empty file, gets the bytes of `source` without their being copied, until one of the two
  /// is changed. EOPNOTSUPP, EXDEV, EINVAL or ENOTTY where the file system cannot.
  func clone(_ source: File, to target: File) throws(SystemError)
  /// unlinkat(2): removes a file, a symlink or an empty folder; nothing happens when there is none.
  func remove(_ name: String, in directory: Directory) throws(SystemError)
}

extension Volume {
  /// The real link, for volumes that have nothing to add to it.
  public func link(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try source.link(name, to: newName, in: target)
  }

  /// The real clone, for volumes that have nothing to add to it.
  public func clone(_ source: File, to target: File) throws(SystemError) { try source.clone(to: target) }

  /// The real removal, for volumes that have nothing to add to it.
  public func remove(_ name: String, in directory: Directory) throws(SystemError) {
    try directory.remove(name)
  }

  /// Removes whatever is at `name`, with all that is below it and without following a symlink: one step for each name.
  public func removeTree(_ name: String, in directory: Directory) throws(SystemError) {
    guard let status = try directory.status(of: name) else { return }
    if status.kind == .directory {
      let folder = try directory.directory(name)
      for child in try folder.names() { try removeTree(child, in: folder) }
    }
    try remove(name, in: directory)
  }

  /// The real swap, for volumes that have nothing to add to it.
  public func exchange(
    _ name: String, in source: Directory, with other: String, in target: Directory
  ) throws(SystemError) {
    try source.exchange(name, with: other, in: target)
  }
}

/// The real file system.
public struct SystemVolume: Volume {
  /// The file systems of this machine.
  public init() {}

  /// pwrite(2) until all is written.
  public func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try file.write(bytes.span, at: offset)
  }

  /// fsync(2).
  public func synchronize(_ file: File) throws(SystemError) { try file.synchronize() }

  /// fsync(2).
  public func synchronize(_ directory: Directory) throws(SystemError) { try directory.synchronize() }

  /// renameat(2).
  public func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try source.rename(name, to: newName, in: target)
  }

  /// symlinkat(2).
  public func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try directory.createSymlink(name, to: target)
  }
}
