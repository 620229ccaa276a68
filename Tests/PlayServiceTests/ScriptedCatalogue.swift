import DepotModel
import Foundation
import Platform
import PlayService
import TestSupport
import Testing

/// A catalogue in memory, its packages in a folder.
struct ScriptedCatalogue: MirrorCatalogue {
  var point = CatalogueState(
    catalogue: "6f9619ff-8b86-4011-b42d-00c04fc964ff", revision: 9, channel: .stable)
  var all: [GameID: StandingGame] = [:]
  /// With the revision of each.
  var changed: [(revision: Int64, id: GameID)] = []
  var packages: [String: String] = [:]
  var failure: MirrorCatalogueFailure?

  private func check() throws(MirrorCatalogueFailure) { if let failure { throw failure } }

  /// Nothing changes in it.
  func changeToken() throws(MirrorCatalogueFailure) -> Int64? {
    try check()
    return 1
  }

  func state() throws(MirrorCatalogueFailure) -> CatalogueState {
    try check()
    return point
  }

  func games(
    after id: GameID?, limit: Int, matching text: String?
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [OfferedVersion]) {
    try check()
    let current = all.values.compactMap { $0.versions.first(where: \.isCurrent) }
      .sorted { $0.game.gameId < $1.game.gameId }
      .filter { version in id.map { version.game.gameId > $0 } ?? true }
      .filter { version in text.map { version.game.title.contains($0) } ?? true }
    return (point, Array(current.prefix(limit + 1)))
  }

  func changes(
    after place: ChangePlace, limit: Int
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, changes: [OfferedChange]) {
    try check()
    let found = changed.filter { ($0.revision, $0.id.text) > (place.revision, place.game) }.map {
      OfferedChange(
        place: ChangePlace(revision: $0.revision, game: $0.id.text), id: $0.id,
        version: all[$0.id]?.versions.first(where: \.isCurrent))
    }
    return (point, Array(found.prefix(limit + 1)))
  }

  func versions(
    of ids: [GameID]
  ) throws(MirrorCatalogueFailure) -> (state: CatalogueState, games: [GameID: StandingGame]) {
    try check()
    return (point, all.filter { ids.contains($0.key) })
  }

  func package(of version: OfferedVersion) throws(MirrorCatalogueFailure) -> File? {
    try check()
    return packages["\(version.game.gameId) \(version.game.h5Version)"].flatMap {
      try? File(path: $0, mode: .read)
    }
  }

  /// Adds a version; one in use takes the place of the one before. With a `folder` its package is kept there.
  mutating func add(
    _ id: String, _ version: String, isCurrent: Bool = true, publishedAt: String = "2026-11-30T10:00:00Z",
    in folder: String? = nil
  ) throws {
    let bytes = ZipBuilder([
      ZipEntry("w/index.html", "<h1>\(id) \(version)</h1>"),
      ZipEntry("w/data.bin", FileContent(Self.noise(40_000))),
    ]).build()
    let id = try #require(GameID(id))
    let game = Game(
      gameId: id, title: "The \(id)", h5Version: try #require(H5Version(version)), h5Down: "",
      h5Md5: try #require(MD5Digest(bytes: Hash.digest(of: bytes, .md5))),
      h5Sha256: try #require(SHA256Digest(bytes: Hash.digest(of: bytes, .sha256))),
      h5Size: Int64(bytes.count),
      publishedAt: try #require(Timestamp(publishedAt)), mandatory: false, minHostVersion: nil, channel: nil,
      notes: nil)
    if let folder {
      let path = "\(folder)/\(id)-\(version).zip"
      try Data(bytes).write(to: URL(filePath: path))
      packages["\(id) \(version)"] = path
    }
    let added = OfferedVersion(
      game: game, isCurrent: isCurrent,
      movedAt: try #require(Timestamp("2026-12-01T00:00:00Z")), root: nil, namesEncoding: nil)
    all[id] = StandingGame(versions: (all[id]?.versions ?? []) + [added], isRemoved: false)
    changed.append((Int64(changed.count + 1), id))
  }

  /// Bytes that do not compress.
  private static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  /// Nothing is left of it.
  mutating func remove(_ id: String) throws {
    let id = try #require(GameID(id))
    all[id] = StandingGame(versions: [], isRemoved: true)
    changed.append((Int64(changed.count + 1), id))
  }
}
