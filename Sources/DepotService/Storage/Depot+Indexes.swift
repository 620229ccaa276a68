internal import Catalogue
internal import DepotModel
internal import Platform
internal import ReadAPI
internal import ZipArchive

extension Depot {
  /// The index of a package that was checked; nil for one that is too large for an index, or laid out in a way that none can
  /// tell. Such a package is published all the same: mirrors fetch it whole.
  func makeIndex(of package: File) throws(SystemError) -> StoredIndex? {
    try MadeIndex(of: package).map {
      StoredIndex(bytes: $0.bytes, sha256: $0.sha256, blockSums: $0.blockSums)
    }
  }

  /// Makes the indexes that are missing, as those of packages are that were published before there were any, and tells of how
  /// many packages it did. A package that cannot be read is left for `verify` to tell. `isCancelled` is asked before each.
  @discardableResult
  public func makeMissingIndexes(isCancelled: () -> Bool = { false }) throws(DepotError) -> Int {
    let releases: [Release]
    do throws(CatalogueError) { releases = try catalogue.releasesWithoutIndex() } catch {
      throw .catalogue(error)
    }
    var tried: Set<SHA256Digest> = []
    var made = 0
    for release in releases where tried.insert(release.sha256).inserted {
      if isCancelled() || givesUpChecks { break }
      guard try remakeIndex(of: release) else { continue }
      made += 1
    }
    return made
  }

  /// False when the package cannot be read, or no index can be made of it.
  func remakeIndex(of release: Release) throws(DepotError) -> Bool {
    let index: StoredIndex?
    do throws(SystemError) {
      index = try makeIndex(of: package(of: release))
    } catch { return false }
    guard let index else { return false }
    do throws(CatalogueError) { try catalogue.store(index, ofPackage: release.sha256) } catch {
      throw .catalogue(error)
    }
    return true
  }

  /// What is wrong with the index of a release whose package is sound; nil when nothing is, or there is none. `repairing`
  /// makes it again, and one that is missing.
  func checkIndex(_ release: Release, repairing: Bool) throws(DepotError) -> VerifyReport.Kind? {
    let index: StoredIndex?
    do throws(CatalogueError) { index = try catalogue.packageIndex(release.gameID, release.version) } catch {
      throw .catalogue(error)
    }
    guard let index else {
      if repairing { _ = try remakeIndex(of: release) }
      return nil
    }
    guard let damage = damage(of: index, of: release) else { return nil }
    guard repairing else { return .index(damage, isMended: false) }
    if try !remakeIndex(of: release) {
      do throws(CatalogueError) { try catalogue.removeIndex(ofPackage: release.sha256) } catch {
        throw .catalogue(error)
      }
    }
    return .index(damage, isMended: true)
  }

  private func damage(of index: StoredIndex, of release: Release) -> String? {
    guard Hash.digest(of: index.bytes, .sha256) == index.sha256.bytes else {
      return "its bytes are not those that were written"
    }
    do throws(IndexError) {
      let read = try PackageIndex(decoding: index.bytes, limits: .standard)
      let file: File
      do throws(SystemError) { file = try package(of: release) } catch { throw .system(error) }
      guard try read.isIndex(of: file) else { return "it is that of another package" }
      guard try BlockSums(of: read).make(from: file) == index.blockSums else {
        return "its sums of blocks are not those of the package"
      }
      return nil
    } catch {
      return error.description
    }
  }

  private func package(of release: Release) throws(SystemError) -> File {
    let place = DepotLayout.place(of: release.sha256)
    return try layout.packages.file("\(place.folder)/\(place.name)", mode: .read)
  }
}
