internal import HTTPClient
public import Platform

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

  /// What the package's index says of its files.
  public func contents(of request: PackageRequest) async throws(MirrorError) -> PackageContents? {
    let contents = await contents(of: PackageSource(request.release), aid: request.aid)
    if Task.isCancelled { throw .cancelled }
    return contents
  }

  /// What fetching the package costs; the index that is needed to know it stays for the fetch.
  public func cost(of request: PackageRequest) async throws(MirrorError) -> FetchCost {
    do { return try await cost(of: PackageSource(request.release), aid: request.aid) } catch {
      throw MirrorError(error)
    }
  }

  /// Fetches again what is damaged of a release's package in `file`.
  public func repair(
    _ request: PackageRequest, in file: File, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> Int64 {
    do {
      return try await repair(PackageSource(request.release), in: file, aid: request.aid) {
        (state: DownloadProgress) in progress(state.done)
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
