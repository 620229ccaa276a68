public import HTTPClient
public import Platform

/// Fetches packages whole, resuming what an earlier run left.
///
/// Any number of tasks may use it; how many packages are fetched at a time is the caller's decision, within the
/// engine's connections. A second request for a digest that is being fetched joins the first.
public final class Downloader: Sendable {
  /// - Parameters:
  ///   - partials: the folder of partials, `<dest>/partial`.
  ///   - server: the depot; from an https one no http URL is followed.
  ///   - token: sent to its own origin only.
  public init(
    engine: TransferEngine,
    partials: Directory,
    volume: any Volume,
    server: WebURL,
    token: BearerToken?,
    retries: RetryPolicy,
    timer: any RetryTimer
  ) {
  }

  /// Bytes that came over the network for packages so far, repeats included.
  public var bytesFetched: Int64 { 0 }

  /// Returns when the package is whole, verified and on the disk, under `source.partialName` in the folder of
  /// partials. Cancelling the task keeps what has come.
  /// - Parameter progress: called often, from any thread, one call at a time for one request; it must be quick.
  public func fetch(
    _ source: PackageSource, progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(DownloadError) -> FetchedPackage {
    throw .cancelled
  }
}
