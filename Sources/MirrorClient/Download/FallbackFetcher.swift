internal import DepotModel
internal import HTTPClient
internal import Platform

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

  func cost(of request: PackageRequest) async throws(MirrorError) -> FetchCost {
    try await ways[chosen()].fetcher.cost(of: request)
  }

  func repair(
    _ request: PackageRequest, in file: File, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> Int64 {
    let chosen = chosen()
    do throws(MirrorError) {
      return try await ways[chosen].fetcher.repair(request, in: file, progress: progress)
    } catch {
      guard error.isOfOneServer else { throw error }
      for (index, way) in ways.enumerated() where index != chosen {
        guard let request = request.at(way.server) else { continue }
        // What the server says that named the package is what counts.
        if let bytes = try? await way.fetcher.repair(request, in: file, progress: progress) { return bytes }
      }
      throw error
    }
  }
}

extension PackageRequest {
  /// The same package where another depot has it. The index stays: it is here already, or proven by its digest.
  fileprivate func at(_ server: WebURL) -> PackageRequest? {
    let segments = ["games", release.id.text, "versions", release.version.text, "package.zip"]
    guard let url = server.appending(segments) else { return nil }
    var copy = self
    copy.release = Release(
      id: release.id, title: release.title, version: release.version, url: url, sha256: release.sha256,
      md5: release.md5, size: release.size, publishedAt: release.publishedAt)
    return copy
  }
}
