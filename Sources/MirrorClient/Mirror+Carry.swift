internal import DepotModel
internal import Platform

extension Mirror {
  /// Brings the mirror in step with what was carried here: `path` is the folder of another mirror, or a file that `export`
  /// made of one. Everything is proven as if it had been downloaded; nothing but this machine is asked.
  ///
  /// Throws as `sync(from:fetching:options:observer:)`; `unreachable` when there is nothing at `path`, `badAnswer` when it is
  /// nothing that was exported.
  public func sync(
    carried path: String, options: SyncOptions, observer: @escaping SyncObserver
  ) async throws(MirrorError) -> SyncReport {
    let packages = try CarriedPackages(path: path)
    return try await sync(
      from: CarriedDepot(packages: packages),
      fetching: { (partials) throws(MirrorError) in
        try CarriedFetcher(
          packages, partials: partials, volume: SystemVolume(), threads: options.concurrency)
      }, options: options, observer: observer)
  }

  /// As `plan(from:options:)`, with what was carried here.
  public func plan(carried path: String, options: SyncOptions) async throws(MirrorError) -> SyncPlan {
    try await plan(from: CarriedDepot(packages: try CarriedPackages(path: path)), options: options)
  }

  /// Writes the packages in use of the selected games into the file `path`, in place of one that is there, once it is whole.
  ///
  /// No sync may run meanwhile: throws `locked` as a sync does, `noMirror` where there is none, `download` with the game whose
  /// package is missing or damaged, `system` when the file cannot be written, and `cancelled` when the task is.
  public func export(
    to path: String, selection: GameSelection, lockWait: Duration
  ) async throws(MirrorError) -> ExportSummary {
    let folder = try standingDestination()
    let root = try onDisk { () throws(SystemError) in try Directory(path: folder) }
    let lock = try await MirrorLock.acquire(in: root, wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    let versions = try installedGames().filter { selection.includes($0.id) }
    let stop = StopFlag()
    let workers = try onDisk { () throws(SystemError) in try WorkerThreads(count: 1, name: "export") }
    defer { workers.shutdown() }
    let export = MirrorExport(
      packages: try onDisk { () throws(SystemError) in try root.directory("packages") }, versions: versions,
      store: try Store(root: folder, .read),
      volume: SystemVolume(), now: .now, isCancelled: { stop.isSet })
    let result = await withTaskCancellationHandler {
      await workers.run { () -> Result<ExportSummary, MirrorError> in
        do throws(MirrorError) { return .success(try export.write(to: path)) } catch {
          return .failure(error)
        }
      }
    } onCancel: {
      stop.set()
    }
    return try result.get()
  }
}
