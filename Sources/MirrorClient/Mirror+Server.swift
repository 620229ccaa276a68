public import HTTPClient
internal import Platform

extension Mirror {
  /// As `sync(from:fetching:options:observer:)`, with a depot behind its HTTP API.
  ///
  ///     let engine = try TransferEngine(.standard)
  ///     let report = try await Mirror(destination: "/srv/games").sync(
  ///       servers: [DepotServer(url: url, token: nil)], engine: engine, retries: .standard(retries: 5), options: options) { _ in }
  ///
  /// Of several servers, at least one, the first that answers tells what there is; what it does not give is fetched from the
  /// others, which must have the same bytes. The engine is the caller's, and outlives the sync: `engine.stop()` ends its
  /// transfers at once, from any thread.
  public func sync(
    servers: [DepotServer], engine: TransferEngine, retries: RetryPolicy, options: SyncOptions,
    observer: @escaping SyncObserver
  ) async throws(MirrorError) -> SyncReport {
    let timer = SystemRetryTimer()
    let depot = FallbackDepot(
      servers.map { server in
        HTTPDepot(server: server.url, engine: engine, token: server.token, retries: retries, timer: timer)
      })
    return try await sync(
      from: depot,
      fetching: { (partials) throws(MirrorError) in
        var ways: [FallbackFetcher.Way] = []
        for server in servers {
          do throws(DownloadError) {
            let downloader = try Downloader(
              engine: engine, partials: partials, volume: SystemVolume(), server: server.url,
              token: server.token, retries: retries, timer: timer)
            ways.append(FallbackFetcher.Way(server: server.url, fetcher: downloader))
          } catch {
            throw MirrorError(error)
          }
        }
        return FallbackFetcher(ways: ways) { depot.index }
      }, options: options, observer: observer)
  }

  /// As `plan(from:options:)`, with depots behind their HTTP API, at least one.
  public func plan(
    servers: [DepotServer], engine: TransferEngine, retries: RetryPolicy, options: SyncOptions
  ) async throws(MirrorError) -> SyncPlan {
    let timer = SystemRetryTimer()
    let depot = FallbackDepot(
      servers.map { server in
        HTTPDepot(server: server.url, engine: engine, token: server.token, retries: retries, timer: timer)
      })
    return try await plan(from: depot, options: options)
  }
}
