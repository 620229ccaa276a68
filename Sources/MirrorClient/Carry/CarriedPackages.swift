internal import DepotModel
internal import Platform
internal import ZipArchive

/// Where carried packages are: in the folder of another mirror, or in a file made by `export`.
struct CarriedPackages: Sendable {
  /// A run of bytes of a file.
  struct Place: Sendable {
    let file: File
    let offset: Int64
    let size: Int64
  }

  private enum Kind: Sendable {
    case folder(Directory, readings: [GameID: PackageOptions])
    /// By digest in hex; all stored, so that they can be read where they lie.
    case archive(File, [String: PackageEntry])
  }

  /// Such a file holds as many packages as a mirror may, and they were packed before.
  private static let limits = ZipLimits(
    entries: Check.maximumGames + 1, directorySize: 1 << 30, unpackedSize: .max, entrySize: .max,
    entryRatio: .max, packageRatio: .max, ratioFloor: .max)

  /// As it was named.
  let path: String
  let games: [CarriedGame]
  private let kind: Kind

  /// Reads what was carried. Throws `unreachable` when nothing can be read there, `badAnswer` when it is nothing that was exported.
  init(path: String) throws(MirrorError) {
    self.path = path
    let isFolder: Bool
    do throws(SystemError) {
      isFolder = try File(path: path, mode: .read).status.kind == .directory
    } catch {
      throw .unreachable(url: path, reason: error.description)
    }
    if isFolder {
      (games, kind) = try Self.folder(path)
    } else {
      (games, kind) = try Self.archive(path)
    }
  }

  /// Where the bytes of a package are; nil when it was not carried.
  func place(of release: Release) throws(MirrorError) -> Place? {
    switch kind {
    case .folder(let packages, _):
      let name = "\(release.id.text)/\(MirrorDisk.packageName(release.version))"
      return try onDisk { () throws(SystemError) in
        guard try packages.status(of: name)?.kind == .regular else { return nil }
        return Place(file: try packages.file(name, mode: .read), offset: 0, size: release.size)
      }
    case .archive(let file, let entries):
      guard let entry = entries[release.sha256.hex], entry.size == release.size else { return nil }
      return Place(file: file, offset: entry.dataOffset, size: entry.size)
    }
  }

  /// How the package of a game is to be read, where that is known of it.
  func reading(of id: GameID) -> PackageOptions? {
    guard case .folder(_, let readings) = kind else { return nil }
    return readings[id]
  }

  private static func folder(_ path: String) throws(MirrorError) -> ([CarriedGame], Kind) {
    let isMirror: Bool
    do throws(SystemError) {
      isMirror = try Directory(path: path).status(of: Store.name)?.kind == .regular
    } catch {
      throw .unreachable(url: path, reason: error.description)
    }
    guard isMirror else { throw .unreachable(url: path, reason: "it holds no mirror") }
    let store = try Store(root: path, .readCarried)
    let versions = try store.allVersions().filter(\.isCurrent)
    var readings: [GameID: PackageOptions] = [:]
    for version in versions { readings[version.id] = try store.reading(of: version) }
    let packages = try onDisk { () throws(SystemError) in try Directory(path: path + "/packages") }
    return (versions.map { CarriedGame($0) }, .folder(packages, readings: readings))
  }

  private static func archive(_ path: String) throws(MirrorError) -> ([CarriedGame], Kind) {
    func refused(_ reason: String) -> MirrorError { .badAnswer(url: path, reason: reason) }
    let file = try onDisk { () throws(SystemError) in try File(path: path, mode: .read) }
    let reader: PackageReader
    do throws(ZipError) {
      reader = try PackageReader(file: file, options: PackageOptions(limits: limits, root: ""))
    } catch {
      throw MirrorError(error)
    }
    var entries: [String: PackageEntry] = [:]
    for entry in reader.plan.files { entries[entry.path] = entry }
    guard let head = entries[CarriedCatalogue.name] else {
      let finding = reader.plan.findings.first { $0.severity == .error }
      throw refused(
        "no file that was exported: \(finding?.description ?? "\(CarriedCatalogue.name) is missing")")
    }
    guard head.size <= CarriedCatalogue.limit,
      entries.values.allSatisfy({ $0.method == 0 && !$0.isEncrypted })
    else { throw refused("no file that was exported: its entries are packed or too large") }
    let bytes = try onDisk { () throws(SystemError) in
      try file.bytes(at: head.dataOffset, count: Int(head.size))
    }
    let catalogue: CarriedCatalogue
    do { catalogue = try JSON.decode(CarriedCatalogue.self, from: bytes) } catch {
      throw refused("\(CarriedCatalogue.name): \((error as? DecodingError)?.brief ?? "no JSON")")
    }
    guard catalogue.format == CarriedCatalogue.format else {
      throw refused("format \(catalogue.format); this program reads \(CarriedCatalogue.format)")
    }
    var packages: [String: PackageEntry] = [:]
    for game in catalogue.games {
      guard let entry = entries[CarriedCatalogue.name(of: game.h5Sha256)] else { continue }
      packages[game.h5Sha256.hex] = entry
    }
    return (catalogue.games, .archive(file, packages))
  }
}
