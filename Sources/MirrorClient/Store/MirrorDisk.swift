internal import DepotModel
internal import Platform

/// The folders of one mirror, and what stands where in them. Every name below is made of parsed ids and versions, so
/// none can lead elsewhere.
struct MirrorDisk: Sendable {
  let root: Directory
  let games: Directory
  let packages: Directory
  let partials: Directory

  /// Opens the folders of a mirror, making those that are missing.
  init(root: Directory, volume: any Volume) throws(SystemError) {
    self.root = root
    var isNew = false
    for name in ["games", "packages", "partial"] {
      if try root.createDirectory(name) { isNew = true }
    }
    if isNew { try volume.synchronize(root) }
    games = try root.directory("games")
    packages = try root.directory("packages")
    partials = try root.directory("partial")
  }

  static let versions = "versions"
  static let current = "current"
  static let removedPrefix = ".removed-"
  static let stagingPrefix = ".staging-"
  static let currentPrefix = ".current-"

  static func partialName(_ sha256: SHA256Digest) -> String { "\(sha256.hex).part" }
  static func packageName(_ version: H5Version) -> String { "\(version.text).zip" }
  static func currentTarget(_ version: H5Version) -> String { "\(versions)/\(version.text)" }

  static func stagingName(_ version: H5Version, _ sha256: SHA256Digest) -> String {
    "\(stagingPrefix)\(version.text)-\(sha256.hex.prefix(8))"
  }

  static func temporaryLinkName(_ sha256: SHA256Digest) -> String {
    "\(currentPrefix)\(sha256.hex.prefix(8))"
  }

  /// The folder of a game, made when missing, durable when this returns.
  func gameFolder(_ id: GameID, volume: any Volume) throws(SystemError) -> Directory {
    if try games.createDirectory(id.text) { try volume.synchronize(games) }
    let game = try games.directory(id.text)
    if try game.createDirectory(Self.versions) { try volume.synchronize(game) }
    return game
  }

  /// The folder of a game's packages, made when missing, durable when this returns.
  func packageFolder(_ id: GameID, volume: any Volume) throws(SystemError) -> Directory {
    if try packages.createDirectory(id.text) { try volume.synchronize(packages) }
    return try packages.directory(id.text)
  }

  /// The same folder, for questions alone.
  var look: MirrorLook { MirrorLook(root: root) }

  /// The version that a game's `current` names; nil when there is none or it names something else.
  func currentVersion(of id: GameID) throws(SystemError) -> H5Version? { try look.currentVersion(of: id) }

  func packageStatus(_ id: GameID, _ version: H5Version) throws(SystemError) -> FileStatus? {
    try packages.status(of: "\(id.text)/\(Self.packageName(version))")
  }

  /// Whether what a player needs of a version is there, whatever `current` names; its package where it is not unpacked.
  func standsUnlinked(_ version: InstalledVersion) throws(SystemError) -> Bool {
    try look.standsUnlinked(version)
  }

  /// The SHA-256 of a file, read from its start to its end.
  static func sha256(of file: File, isCancelled: () -> Bool) throws(MirrorError) -> SHA256Digest? {
    var hash = Hash(.sha256)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset: Int64 = 0
    do throws(SystemError) {
      while true {
        let count = try file.read(into: &buffer, count: buffer.count, at: offset)
        if count == 0 { break }
        hash.update(buffer, count: count)
        offset += Int64(count)
        if isCancelled() { break }
      }
    } catch {
      throw .system(error)
    }
    if isCancelled() { throw .cancelled }
    return SHA256Digest(bytes: hash.finish())
  }
}
