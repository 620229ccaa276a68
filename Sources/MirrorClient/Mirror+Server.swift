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
    let depots = HTTPDepots(servers: servers, engine: engine, retries: retries)
    return try await sync(
      from: depots.source, fetching: { (partials) throws(MirrorError) in try depots.fetcher(partials) },
      options: options, observer: observer)
  }

  /// As `plan(from:options:)`, with depots behind their HTTP API, at least one. Indexes of updates are read, to tell what they
  /// cost, into a folder of its own that goes with the plan.
  public func plan(
    servers: [DepotServer], engine: TransferEngine, retries: RetryPolicy, options: SyncOptions
  ) async throws(MirrorError) -> SyncPlan {
    let depots = HTTPDepots(servers: servers, engine: engine, retries: retries)
    let scratch = try onDisk { () throws(SystemError) in try ScratchFolder() }
    defer { scratch.remove() }
    return try await plan(from: depots.source, fetcher: try depots.fetcher(scratch.folder), options: options)
  }
}

/// Depots behind their HTTP API as one: what they offer, and the packages they have.
struct HTTPDepots: Sendable {
  let source: FallbackDepot
  private let servers: [DepotServer]
  private let engine: TransferEngine
  private let retries: RetryPolicy

  init(servers: [DepotServer], engine: TransferEngine, retries: RetryPolicy) {
    (self.servers, self.engine, self.retries) = (servers, engine, retries)
    source = FallbackDepot(
      servers.map { server in
        HTTPDepot(
          server: server.url, engine: engine, token: server.token, retries: retries,
          timer: SystemRetryTimer())
      })
  }

  /// Downloads into the folder of partials.
  func fetcher(_ partials: Directory) throws(MirrorError) -> FallbackFetcher {
    var ways: [FallbackFetcher.Way] = []
    for server in servers {
      do throws(DownloadError) {
        let downloader = try Downloader(
          engine: engine, partials: partials, volume: SystemVolume(), server: server.url,
          token: server.token, retries: retries, timer: SystemRetryTimer())
        ways.append(FallbackFetcher.Way(server: server.url, fetcher: downloader))
      } catch {
        throw MirrorError(error)
      }
    }
    let source = source
    return FallbackFetcher(ways: ways) { source.index }
  }
}
