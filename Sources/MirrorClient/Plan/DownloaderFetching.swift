internal import HTTPClient

/// The downloader, as a sync asks it.
extension Downloader: PackageFetching {
  /// Fetches what is missing of a release's package.
  public func fetch(
    _ release: Release, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    let source = PackageSource(
      url: release.url.text, sha256: release.sha256, md5: release.md5, size: release.size,
      label: "\(release.id) \(release.version)")
    do {
      return try await fetch(source) { (state: DownloadProgress) in progress(state.done) }
    } catch {
      throw MirrorError(error)
    }
  }
}
