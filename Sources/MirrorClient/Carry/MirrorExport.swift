internal import DepotModel
internal import Platform
internal import ZipArchive

/// Writes a mirror's packages in use into one file, for a place without a network.
struct MirrorExport: Sendable {
  private static let pieceSize = 1 << 20

  let packages: Directory
  let versions: [InstalledVersion]
  let store: Store
  let volume: any Volume
  let now: Timestamp
  let isCancelled: @Sendable () -> Bool

  /// Appears under `path` when it is whole, in place of what stood there. Every package is proven on its way; one that is
  /// missing or damaged ends it, and nothing is written.
  func write(to path: String) throws(MirrorError) -> ExportSummary {
    var catalogue = CarriedCatalogue(exportedAt: now, games: [])
    for version in versions {
      guard !isCancelled() else { throw .cancelled }
      var game = CarriedGame(version)
      do throws(MirrorError) {
        game.contents = try CarriedGame.Contents(of: try file(of: version), try store.reading(of: version))
      } catch {
        throw Self.failure(version, "\(error)")
      }
      catalogue.games.append(game)
    }
    do {
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
      let writer = try ZipWriter(
        creating: name, in: try Directory(path: folder), options: ZipWriterOptions(level: 0), volume: volume)
      try writer.add(data: try JSON.encode(catalogue), as: CarriedCatalogue.name)
      var written: Set<SHA256Digest> = []
      for version in versions where written.insert(version.sha256).inserted {
        try add(version, to: writer)
      }
      return ExportSummary(games: versions.count, size: try writer.finish().size)
    } catch let error as MirrorError {
      throw error
    } catch let error as ZipWriteError {
      if case .cancelled = error { throw .cancelled }
      if case .cannotWrite(let failure) = error { throw .system(failure) }
      if case .cannotCreate(let failure) = error { throw .system(failure) }
      throw .download(reason: error.description)
    } catch let error as SystemError {
      throw .system(error)
    } catch {
      throw .download(reason: "\(error)")
    }
  }

  private func add(_ version: InstalledVersion, to writer: ZipWriter) throws {
    let file = try file(of: version)
    var sha256 = Hash(.sha256)
    var done: Int64 = 0
    try writer.openEntry(CarriedCatalogue.name(of: version.sha256))
    while true {
      guard !isCancelled() else { throw MirrorError.cancelled }
      let piece = try file.bytes(at: done, count: Self.pieceSize)
      guard !piece.isEmpty else { break }
      try writer.write(piece)
      sha256.update(piece)
      done += Int64(piece.count)
    }
    guard SHA256Digest(bytes: sha256.finish()) == version.sha256 else {
      throw Self.failure(version, "its package is damaged; mend it with: mirror-sync verify --repair")
    }
    try writer.closeEntry()
  }

  private func file(of version: InstalledVersion) throws(MirrorError) -> File {
    let name = "\(version.id.text)/\(MirrorDisk.packageName(version.version))"
    return try onDisk { () throws(SystemError) in try packages.file(name, mode: .read) }
  }

  private static func failure(_ version: InstalledVersion, _ reason: String) -> MirrorError {
    .download(reason: "\(version.id) \(version.version) cannot be exported: \(reason)")
  }
}

/// What an export wrote.
public struct ExportSummary: Sendable, Hashable {
  /// Games in it.
  public let games: Int
  /// Bytes of the file.
  public let size: Int64

  /// `12 games, 340.0 MiB`.
  public var text: String { "\(games) \(games == 1 ? "game" : "games"), \(ByteText.short(size))" }
}
