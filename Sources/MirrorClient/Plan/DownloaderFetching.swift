internal import HTTPClient

/// The downloader, as a sync asks it.
extension Downloader: PackageFetching {
  /// Fetches what is missing of a release's package.
  public func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    do {
      return try await fetch(PackageSource(request.release), aid: request.aid) { (state: DownloadProgress) in
        progress(state.done)
      }
    } catch {
      throw MirrorError(error)
    }
  }
}

extension PackageSource {
  /// The package of a release.
  public init(_ release: Release) {
    self.init(
      url: release.url.text, sha256: release.sha256, md5: release.md5, size: release.size,
      label: "\(release.id) \(release.version)")
  }
}
