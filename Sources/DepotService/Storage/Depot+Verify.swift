internal import Catalogue
public import DepotModel
public import Platform

/// What a look at every package found.
public struct VerifyReport: Sendable {
  /// Packages read whole.
  public internal(set) var packages = 0
  /// Bytes read.
  public internal(set) var bytes: Int64 = 0
  /// One for each release whose package is not what the catalogue says.
  public internal(set) var damages: [Damage] = []

  /// A release whose package cannot be served as published.
  public struct Damage: Sendable, Hashable {
    /// The game.
    public let gameID: GameID
    /// The version.
    public let version: H5Version
    /// The package's name in the blob store.
    public let sha256: SHA256Digest
    /// What is wrong with it.
    public let kind: Kind
    /// The damaged file was moved to `<name>.damaged`, so that it is served no more; publishing the same zip again
    /// brings the version back.
    public let isSetAside: Bool
  }

  /// In what way a package is not what it should be.
  public enum Kind: Sendable, Hashable {
    case missing
    case size(expected: Int64, actual: Int64)
    case digest(actual: SHA256Digest)
    case md5(expected: MD5Digest, actual: MD5Digest)
    case unreadable(SystemError)
    /// The package is sound, its index is not; `repairing` has made it again, or removed it: mirrors then do without.
    case index(String, isMended: Bool)
  }
}

extension Depot {
  /// Reads every package and its index and compares them with the catalogue. `repairing` moves damaged packages aside,
  /// makes sound ones read-only again, and makes indexes that are damaged or missing. `isCancelled` is asked about every MiB; what was found until then is returned.
  public func verify(repairing: Bool, isCancelled: () -> Bool = { false }) throws(DepotError) -> VerifyReport
  {
    let releases: [Release]
    do throws(CatalogueError) { releases = try catalogue.allReleases() } catch { throw .catalogue(error) }
    var report = VerifyReport()
    var known: [SHA256Digest: VerifyReport.Kind?] = [:]
    var setAside: Set<SHA256Digest> = []
    for release in releases {
      guard !isCancelled() else { break }
      let kind: VerifyReport.Kind?
      if let seen = known[release.sha256] {
        kind = seen
      } else {
        kind = check(release, &report, isCancelled)
        known[release.sha256] = .some(kind)
        if repairing, try repair(release.sha256, kind) { setAside.insert(release.sha256) }
      }
      var found = kind
      if found == nil, !isCancelled() { found = try checkIndex(release, repairing: repairing) }
      guard let found else { continue }
      report.damages.append(
        VerifyReport.Damage(
          gameID: release.gameID, version: release.version, sha256: release.sha256, kind: found,
          isSetAside: setAside.contains(release.sha256)))
    }
    return report
  }

  private func check(
    _ release: Release, _ report: inout VerifyReport, _ isCancelled: () -> Bool
  ) -> VerifyReport.Kind? {
    do throws(SystemError) {
      let place = DepotLayout.place(of: release.sha256)
      // Opened anew: a descriptor that is kept open could still show a file that is gone.
      guard try layout.packages.status(of: "\(place.folder)/\(place.name)") != nil else { return .missing }
      let file = try layout.packages.file("\(place.folder)/\(place.name)", mode: .read)
      var md5 = Hash(.md5)
      var sha256 = Hash(.sha256)
      var offset: Int64 = 0
      while !isCancelled() {
        let bytes = try file.bytes(at: offset, count: 1 << 20)
        guard !bytes.isEmpty else { break }
        md5.update(bytes)
        sha256.update(bytes)
        offset += Int64(bytes.count)
      }
      guard !isCancelled() else { return nil }
      report.packages += 1
      report.bytes += offset
      guard offset == release.size else { return .size(expected: release.size, actual: offset) }
      if let actual = SHA256Digest(bytes: sha256.finish()), actual != release.sha256 {
        return .digest(actual: actual)
      }
      if let actual = MD5Digest(bytes: md5.finish()), actual != release.md5 {
        return .md5(expected: release.md5, actual: actual)
      }
      return nil
    } catch {
      return .unreadable(error)
    }
  }

  /// True when the package was moved aside.
  private func repair(_ digest: SHA256Digest, _ kind: VerifyReport.Kind?) throws(DepotError) -> Bool {
    do throws(SystemError) {
      switch kind {
      case nil:
        let place = DepotLayout.place(of: digest)
        let file = try layout.packages.file("\(place.folder)/\(place.name)", mode: .read)
        if try file.status.permissions != 0o444 { try file.setPermissions(0o444) }
        return false
      case .size, .digest:
        try blobs.setAside(digest)
        return true
      case .missing, .md5, .unreadable, .index: return false
      }
    } catch { throw .system(error) }
  }
}
