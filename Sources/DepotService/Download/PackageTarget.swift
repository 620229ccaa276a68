internal import Catalogue
internal import DepotModel
internal import ReadAPI

extension PackageTarget {
  /// Throws `unknown-game`, `unknown-version` or `unknown-channel`.
  func release(in depot: Depot) throws(Problem) -> Release {
    guard let version else { return try depot.release(id, channel) }
    return try depot.release(id, version)
  }

  /// Since when this URL gives these bytes: a channel's rollback must not look older than what it replaces.
  func lastModified(of release: Release) -> Timestamp {
    version == nil ? release.movedAt : release.publishedAt
  }
}
