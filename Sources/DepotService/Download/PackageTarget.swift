internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// Which package a URL means: a version, or what a channel holds.
struct PackageTarget: Sendable {
  let id: GameID
  private let version: H5Version?
  private let channel: ChannelName
  /// The path itself names the version: the bytes behind this URL never change.
  let isImmutable: Bool

  /// `version` as the path names it; without, `version` of the query counts before `channel`.
  init(_ id: GameID, _ version: H5Version?, _ request: HTTPRequest) throws(Problem) {
    self.id = id
    isImmutable = version != nil
    if let version {
      self.version = version
      channel = .stable
    } else {
      let parameters = try Parameters(request, ["version", "channel"])
      self.version = try parameters.version("version")
      channel = try parameters.channel()
    }
  }

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
