internal import DepotModel
internal import HTTPClient
internal import Platform
internal import ZipArchive

/// One game as it is carried from mirror to mirror: what the depot said of it, and how its package unpacks.
struct CarriedGame: Codable, Sendable, Hashable {
  var gameId: GameID
  var title: String
  var h5Version: H5Version
  var h5Sha256: SHA256Digest
  var h5Md5: MD5Digest
  var h5Size: Int64
  var publishedAt: Timestamp
  /// How it unpacks; nil when that is to be found out from the package.
  var contents: Contents?

  /// As manifests have it.
  struct Contents: Codable, Sendable, Hashable {
    var root: String
    var namesEncoding: String
    var unpackedSize: Int64
    var fileCount: Int
    var encrypted: Bool
  }

  init(_ version: InstalledVersion) {
    gameId = version.id
    title = version.title
    h5Version = version.version
    h5Sha256 = version.sha256
    h5Md5 = version.md5
    h5Size = version.size
    publishedAt = version.installedAt
  }

  /// What a mirror is told. Its address stands for the bytes that were carried, and is never asked: no host has a name of
  /// that kind (RFC 6761 §6.4).
  var release: Release? {
    guard h5Size > 0,
      let url = WebURL("http://carried.invalid")?.appending(["games", gameId.text, h5Version.text])
    else { return nil }
    return Release(
      id: gameId, title: title.printable(limit: 200), version: h5Version, url: url, sha256: h5Sha256,
      md5: h5Md5, size: h5Size, publishedAt: publishedAt)
  }
}

extension UnpackingFacts {
  init(_ contents: CarriedGame.Contents) {
    self.init(
      root: contents.root, namesEncoding: contents.namesEncoding, unpackedSize: max(0, contents.unpackedSize),
      fileCount: max(0, contents.fileCount), isEncrypted: contents.encrypted)
  }
}

extension CarriedGame.Contents {
  /// From the package, read as `options` say; with nil by the rules alone: who reads it by the same rules comes to the
  /// same paths, unless its publisher said otherwise.
  init(of package: File, _ options: PackageOptions?) throws(MirrorError) {
    let reader = try onPackage { () throws(ZipError) in
      try PackageReader(file: package, options: options ?? PackageOptions(limits: .standard))
    }
    root = reader.plan.root
    namesEncoding = reader.plan.namesEncoding.rawValue
    unpackedSize = reader.plan.unpackedSize
    fileCount = reader.plan.files.count
    encrypted = reader.isEncrypted
  }
}

/// What stands in front of the packages of an exported file.
struct CarriedCatalogue: Codable, Sendable {
  /// Of the file.
  static let format = 1
  /// Its name in the file.
  static let name = "mirror.json"
  /// Bytes of it: a million games take a third.
  static let limit = 1 << 30

  var format = Self.format
  var exportedAt: Timestamp
  var games: [CarriedGame]

  /// Where a package stands in the file. Digests are names that every system takes.
  static func name(of sha256: SHA256Digest) -> String { "packages/\(sha256.hex).zip" }
}
