public import DepotModel
public import Platform
public import ZipArchive

/// A folder that is kept in step with a depot: every game unpacked, runnable, and never broken.
///
///     let mirror = Mirror(destination: "/srv/games")
///     let report = try await mirror.sync(from: depot, fetching: downloader, options: options) { event in … }
///     for (game, error) in report.failures { print("\(game): \(error)") }
///
/// Runs exclude each other through `mirror.lock`, also between processes; reading (`status`, `isInstalled`) takes no lock.
public final class Mirror: Sendable {
  /// The folder, as it was given.
  public let destination: String
  let volume: any Volume
  let limits: ZipLimits
  let now: @Sendable () -> Timestamp
  private let sleep: @Sendable (Duration) async throws -> Void

  /// The mirror in `destination`; nothing is made or read yet. A package that asks for more than `limits` is not unpacked,
  /// whatever the server says of it.
  public convenience init(destination: String, limits: ZipLimits = .standard) {
    self.init(destination: destination, volume: SystemVolume(), limits: limits) { .now }
  }

  init(
    destination: String, volume: any Volume, limits: ZipLimits,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.destination = destination
    self.volume = volume
    self.limits = limits
    self.sleep = sleep
    self.now = now
  }

  /// Brings the mirror in step with what `source` offers.
  ///
  /// Games are done side by side; one that fails is told in the report and the others go on. Throws when nothing can be
  /// done at all: the lock is held, the folder cannot be written, the server cannot be understood. Cancelling the task
  /// ends it with `cancelled` once what is under way has come to rest; partial downloads stay for the next run.
  /// `fetching` is given the folder of partial downloads, once it is there.
  public func sync(
    from source: any DepotSource, fetching: @Sendable (Directory) throws(MirrorError) -> any PackageFetching,
    options: SyncOptions, observer: @escaping SyncObserver
  ) async throws(MirrorError) -> SyncReport {
    let root = try onDisk { () throws(SystemError) in try Directory(creating: destination) }
    let lock = try await MirrorLock.acquire(in: root, wait: options.lockWait)
    let disk = try onDisk { () throws(SystemError) in try MirrorDisk(root: root, volume: volume) }
    let store = try Store(root: destination)
    let stop = StopFlag()
    let limit = TimeLimit(options.maximumTime, sleep: sleep)
    defer { limit.end() }
    let run = SyncRun(
      disk: disk, store: store,
      installer: Installer(
        disk: disk, store: store, volume: volume, limits: limits, keep: options.keep,
        passwords: options.passwords, sharesFiles: options.sharesFiles,
        keepsPackages: options.keepsPackages, now: now),
      source: source, fetcher: try fetching(disk.partials), options: options, stop: stop, limit: limit,
      observer: observer)
    let result = await withTaskCancellationHandler { () -> Result<SyncReport, MirrorError> in
      do throws(MirrorError) { return .success(try await run.run()) } catch { return .failure(error) }
    } onCancel: {
      stop.set()
    }
    // A summary that cannot be written is not worth failing for: `status` shows an older one.
    try? store.note(LastSync(at: now(), result))
    withExtendedLifetime(lock) {}
    return try result.get()
  }

  /// What `sync` with these options would do now. Nothing is fetched, written or waited for: not even the lock, so a run
  /// may be under way; a mirror that is not there is planned anew.
  ///
  ///     let plan = try await mirror.plan(from: depot, options: options)
  ///     if !plan.isEnough { print(plan.devices) }
  ///
  /// Throws as `sync` does when the server or the mirror's records cannot be understood.
  public func plan(
    from source: any DepotSource, options: SyncOptions
  ) async throws(MirrorError) -> SyncPlan {
    try await plan(from: source, fetcher: nil, options: options)
  }

  /// With a fetcher that writes elsewhere, what updates cost is known; without, packages count whole.
  func plan(
    from source: any DepotSource, fetcher: (any PackageFetching)?, options: SyncOptions
  ) async throws(MirrorError) -> SyncPlan {
    let root = try onDisk { () throws(SystemError) -> Directory? in
      do throws(SystemError) { return try Directory(path: destination) } catch {
        guard error.isNotFound else { throw error }
        return nil
      }
    }
    let isThere = try onDisk { () throws(SystemError) in try root?.status(of: Store.name)?.kind == .regular }
    let store = try Store(copyOf: destination, isThere: isThere)
    let devices = try onDisk { () throws(SystemError) in
      try DiskDevices(root: root, destination: destination)
    }
    let preparation = Preparation(
      look: MirrorLook(root: root), devices: devices, store: store, source: source, fetcher: fetcher,
      options: options, limits: limits, now: now, isOver: { Task.isCancelled })
    let found = try await preparation.run(try store.state(), unfinished: [:])
    if Task.isCancelled { throw .cancelled }
    return try SyncPlan(found, preparation)
  }

  /// Whether the version in use of a game stands whole enough to be run: recorded, and its files where they belong.
  public func isInstalled(_ id: GameID) throws(MirrorError) -> Bool {
    let store = try Store(root: standingDestination(), .read)
    guard let current = try store.versions(of: id).first(where: \.isCurrent) else { return false }
    return try MirrorLook(destination: destination).stands(current)
  }

  /// The version in use of each game, in the order of their names.
  public func installedGames() throws(MirrorError) -> [InstalledVersion] {
    try Store(root: standingDestination(), .read).allVersions().filter(\.isCurrent)
  }

  /// What stands here and what does not, by a look at records and folders. Throws `noMirror` where there is none.
  public func status() throws(MirrorError) -> MirrorStatus {
    let store = try Store(root: standingDestination(), .read)
    return try MirrorStatus(destination: destination, store: store, now: now())
  }

  /// The state of the catalogue that was seen last; nil before the first sync.
  func catalogueState() throws(MirrorError) -> CataloguePoint? {
    try Store(root: standingDestination(), .read).state().point
  }

  /// The destination; throws `noMirror` where there is none.
  func standingDestination() throws(MirrorError) -> String {
    let exists = try onDisk { () throws(SystemError) -> Bool in
      do throws(SystemError) {
        return try Directory(path: destination).status(of: Store.name)?.kind == .regular
      } catch {
        guard error.isNotFound || error.errno == 20 else { throw error }
        return false
      }
    }
    guard exists else { throw .noMirror(path: destination) }
    return destination
  }
}
