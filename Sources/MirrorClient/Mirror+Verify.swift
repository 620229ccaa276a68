public import DepotModel
public import HTTPClient
public import Platform

extension Mirror {
  /// Compares what stands with what was installed, and mends it when the options say so: files from the kept packages, and
  /// packages that are damaged, missing or needed from `source`, if there is one. Without `repairs` no game, package or
  /// download is touched; what `status` tells of it is noted if it can be.
  ///
  /// Throws `noMirror`, `locked`, `notInstalled` for a game that was asked for by name, and `cancelled`.
  public func verify(
    _ options: VerifyOptions, from source: (any DepotSource)? = nil,
    at url: @escaping @Sendable (GameID, H5Version) -> WebURL? = { _, _ in nil },
    fetching: @Sendable (Directory) throws(MirrorError) -> any PackageFetching = {
      (_) throws(MirrorError) in throw .download(reason: "there is nowhere to fetch it from")
    }
  ) async throws(MirrorError) -> VerifyReport {
    let stop = StopFlag()
    let result = await withTaskCancellationHandler { () -> Result<VerifyReport, MirrorError> in
      do throws(MirrorError) {
        guard options.repairs else { return .success(try await look(options, stop)) }
        let report = try await MirrorSession.run(
          self, lockWait: options.lockWait, passwords: options.passwords
        ) { (session) async throws(MirrorError) -> VerifyReport in
          let run = VerifyRun(root: session.disk.root, store: session.store, options: options, stop: stop)
          var supply: VerifyRun.Supply?
          if let source {
            supply = VerifyRun.Supply(source: source, fetcher: try fetching(session.disk.partials), url: url)
          }
          let report = try await run.run(session, supply)
          // Its place in `status` only.
          try? session.store.note(LastVerify(at: now(), report))
          return report
        }
        return .success(report)
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stop.set()
    }
    return try result.get()
  }

  /// Locks if it can, since a sync under way would look like damage; a mirror on a disk that cannot be written is not
  /// written by anybody else, either.
  private func look(_ options: VerifyOptions, _ stop: StopFlag) async throws(MirrorError) -> VerifyReport {
    let destination = try standingDestination()
    let root = try onDisk { () throws(SystemError) in try Directory(path: destination) }
    let lock = try await MirrorLock.acquireIfThere(in: root, wait: options.lockWait)
    let store = try Store(root: destination, .read)
    let report = try await VerifyRun(root: root, store: store, options: options, stop: stop).run(nil, nil)
    // Its place in `status` only.
    try? Store(root: destination).note(LastVerify(at: now(), report))
    withExtendedLifetime(lock) {}
    return report
  }

  /// The same, with depots behind their HTTP API, at least one: see `sync(servers:engine:retries:options:observer:)`.
  public func verify(
    _ options: VerifyOptions, servers: [DepotServer], engine: TransferEngine, retries: RetryPolicy
  ) async throws(MirrorError) -> VerifyReport {
    let depots = HTTPDepots(servers: servers, engine: engine, retries: retries)
    return try await verify(
      options, from: depots.source,
      at: { servers.first?.url.appending(["games", $0.text, "versions", $1.text, "package.zip"]) },
      fetching: { (partials) throws(MirrorError) in try depots.fetcher(partials) })
  }

  /// The same, with packages that were carried here: the folder of another mirror, or a file that `export` made of one.
  public func verify(
    _ options: VerifyOptions, carried path: String
  ) async throws(MirrorError) -> VerifyReport {
    let packages = try CarriedPackages(path: path)
    return try await verify(
      options, from: CarriedDepot(packages: packages),
      // A name only: what is carried is found by what it is.
      at: { WebURL("http://carried.invalid")?.appending([$0.text, $1.text]) },
      fetching: { (partials) throws(MirrorError) in
        try CarriedFetcher(packages, partials: partials, volume: SystemVolume(), threads: 1)
      })
  }
}
