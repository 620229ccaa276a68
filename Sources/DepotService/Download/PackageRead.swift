internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `GET …/package.zip`: finds the package and makes its answer ready.
struct PackageRead: Sendable {
  private let depot: Depot
  private let target: PackageTarget

  /// `version` as the path names it; nil leaves it to the query.
  init(_ id: GameID, _ version: H5Version?, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    target = try PackageTarget(id, version, request)
  }

  /// Throws `internal` when the catalogue knows a package that the disk does not have.
  func answer() throws(Problem) -> PackageAnswer {
    let release = try target.release(in: depot)
    do throws(SystemError) {
      guard let blob = try depot.blobs.blob(for: release.sha256), blob.size == release.size else {
        throw SystemError(errno: 2, operation: "open", path: "package \(release.sha256.hex)")
      }
      let facts = PackageAnswer.Facts(
        id: release.gameID, version: release.version, md5: release.md5, sha256: release.sha256)
      return PackageAnswer(
        facts, blob, size: blob.size, lastModified: target.lastModified(of: release),
        isImmutable: target.isImmutable)
    } catch {
      throw .internal(error)
    }
  }
}
