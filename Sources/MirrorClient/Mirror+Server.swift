public import HTTPClient
internal import Platform

extension Mirror {
  /// As `sync(from:fetching:options:observer:)`, with a depot behind its HTTP API.
  ///
  ///     let engine = try TransferEngine(.standard)
  ///     let report = try await Mirror(destination: "/srv/games").sync(
  ///       server: server, engine: engine, token: nil, retries: .standard(retries: 5), options: options) { _ in }
  ///
  /// The engine is the caller's, and outlives the sync: `engine.stop()` ends its transfers at once, from any thread.
  public func sync(
    server: WebURL, engine: TransferEngine, token: BearerToken?, retries: RetryPolicy, options: SyncOptions,
    observer: @escaping SyncObserver
  ) async throws(MirrorError) -> SyncReport {
    let timer = SystemRetryTimer()
    let depot = HTTPDepot(server: server, engine: engine, token: token, retries: retries, timer: timer)
    return try await sync(
      from: depot,
      fetching: { (partials) throws(MirrorError) in
        do throws(DownloadError) {
          return try Downloader(
            engine: engine, partials: partials, volume: SystemVolume(), server: server, token: token,
            retries: retries, timer: timer)
        } catch {
          throw MirrorError(error)
        }
      }, options: options, observer: observer)
  }
}
