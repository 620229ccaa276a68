internal import DepotModel
internal import HTTPClient

/// Fetches a package from the server that named it, else from any other under that one's own URL for it. What came stays:
/// the bytes are the same everywhere, or their digests say that they are not.
struct FallbackFetcher: PackageFetching {
  /// One server's.
  struct Way: Sendable {
    let server: WebURL
    let fetcher: any PackageFetching
  }

  let ways: [Way]
  /// Which of them named the package.
  let chosen: @Sendable () -> Int

  func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    let chosen = chosen()
    var failure: MirrorError
    do throws(MirrorError) {
      return try await ways[chosen].fetcher.fetch(request, progress: progress)
    } catch {
      guard error.isOfOneServer else { throw error }
      failure = error
    }
    for (index, way) in ways.enumerated() where index != chosen {
      guard let request = request.at(way.server) else { continue }
      do throws(MirrorError) {
        return try await way.fetcher.fetch(request, progress: progress)
      } catch {
        guard error.isOfOneServer else { throw error }
        failure = .download(reason: "\(failure); \(error)")
      }
    }
    throw failure
  }

  func contents(of request: PackageRequest) async throws(MirrorError) -> PackageContents? {
    try await ways[chosen()].fetcher.contents(of: request)
  }
}

extension PackageRequest {
  /// The same package where another depot has it. The index goes with the server that told of it.
  fileprivate func at(_ server: WebURL) -> PackageRequest? {
    let segments = ["games", release.id.text, "versions", release.version.text, "package.zip"]
    guard let url = server.appending(segments) else { return nil }
    var copy = self
    copy.release = Release(
      id: release.id, title: release.title, version: release.version, url: url, sha256: release.sha256,
      md5: release.md5, size: release.size, publishedAt: release.publishedAt)
    copy.aid.index = nil
    return copy
  }
}
