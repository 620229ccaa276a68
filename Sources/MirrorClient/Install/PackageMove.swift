internal import Platform

/// Moves a whole package between the folder of partials and that of packages: by rename(2), or where they lie on different
/// file systems by a copy that comes to its name once it is on the disk. Either way a name never shows half of a package.
struct PackageMove: Sendable {
  /// Of a copy under way, one at a time in a folder.
  static let copyName = ".incoming"
  private static let chunk = 1 << 20
  /// EXDEV of errno(3).
  private static let crossDevice: Int32 = 18

  let volume: any Volume

  /// Durable when this returns. May be repeated from any point an earlier attempt came to.
  func move(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    do throws(SystemError) {
      try volume.rename(name, in: source, to: newName, in: target)
    } catch {
      guard error.errno == Self.crossDevice else { throw error }
      try copy(name, in: source, to: newName, in: target)
    }
    try volume.synchronize(target)
    try volume.synchronize(source)
  }

  /// Swaps two packages, so that what stood at `newName` stands at `name` afterwards; between file systems it is replaced.
  func exchange(
    _ name: String, in source: Directory, with newName: String, in target: Directory
  ) throws(SystemError) {
    do throws(SystemError) {
      try volume.exchange(name, in: source, with: newName, in: target)
    } catch {
      guard error.errno == Self.crossDevice else { throw error }
      try copy(name, in: source, to: newName, in: target)
    }
    try volume.synchronize(target)
    try volume.synchronize(source)
  }

  private func copy(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    let original = try source.file(name, mode: .read)
    try target.removeTree(Self.copyName)
    let copy = try target.file(Self.copyName, mode: .readWrite)
    var offset: Int64 = 0
    while true {
      let bytes = try original.bytes(at: offset, count: Self.chunk)
      if bytes.isEmpty { break }
      try volume.write(bytes, to: copy, at: offset)
      offset += Int64(bytes.count)
    }
    try volume.synchronize(copy)
    try volume.rename(Self.copyName, in: target, to: newName, in: target)
    try volume.synchronize(target)
    try volume.remove(name, in: source)
  }
}
