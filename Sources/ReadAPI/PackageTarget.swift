package import DepotModel
package import HTTPWire

/// Which package a URL means: a version, or what a channel holds.
package struct PackageTarget: Sendable {
  package let id: GameID
  /// Nil for what the channel holds.
  package let version: H5Version?
  package let channel: ChannelName
  /// The path itself names the version: the bytes behind this URL never change.
  package let isImmutable: Bool

  /// `version` as the path names it; without, `version` of the query counts before `channel`.
  package init(_ id: GameID, _ version: H5Version?, _ request: HTTPRequest) throws(Problem) {
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
}
