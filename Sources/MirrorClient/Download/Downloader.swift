internal import DepotModel
public import HTTPClient
public import Platform
internal import Synchronization

/// Fetches packages, resuming what an earlier run left and, where that is cheaper, putting them together from what stands
/// here and the parts that are new.
///
/// Any number of tasks may use it; how many packages are fetched at a time is the caller's decision, within the
/// engine's connections. A second request for a digest that is being fetched joins the first. Two downloaders, in one
/// process or several, must not share a folder of partials.
public final class Downloader: Sendable {
  private struct State {
    var flights: [SHA256Digest: Flight] = [:]
    var lastID: UInt64 = 0
  }

  private let engine: TransferEngine
  let partials: Directory
  private let volume: any Volume
  private let server: WebURL
  private let token: BearerToken?
  private let retries: RetryPolicy
  private let timer: any RetryTimer
  let disk: WorkerThreads
  private let hashers: WorkerThreads
  let shelf: IndexShelf
  private let total = ByteCount()
  private let state = Mutex(State())

  /// Starts the threads for disk and digests; throws `disk` when the system has none.
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
  ) throws(DownloadError) {
    self.engine = engine
    self.partials = partials
    self.volume = volume
    self.server = server
    self.token = token
    self.retries = retries
    self.timer = timer
    do throws(SystemError) {
      // fsync waits, so more of these than processors; MD5 works, so no more than that.
      disk = try WorkerThreads(count: min(8, engine.settings.maximumConnections), name: "disk")
      hashers = try WorkerThreads(count: engine.workerCount, name: "md5")
    } catch {
      throw .disk(error)
    }
    shelf = IndexShelf(
      engine: engine, partials: partials, volume: volume, token: token, retries: retries, timer: timer,
      disk: disk)
  }

  /// Bytes that came over the network for packages so far, repeats included.
  public var bytesFetched: Int64 { total.value }

  /// Returns when the package is whole, verified and on the disk, under `source.partialName` in the folder of
  /// partials. Cancelling the task keeps what has come.
  /// - Parameters:
  ///   - aid: what may spare bytes.
  ///   - progress: called often, from any thread, one call at a time for one request; it must be quick.
  public func fetch(
    _ source: PackageSource, aid: PackageAid = .none, progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(DownloadError) -> FetchedPackage {
    let url = try followable(source.url)
    let passenger = state.withLock { state in
      state.lastID += 1
      return Flight.Passenger(id: state.lastID, progress: progress)
    }
    while true {
      let (flight, isNew, isAboard) = board(passenger, for: source.sha256)
      if isNew { start(flight, source, url, aid) }
      if isAboard { return try await flight.outcome(for: passenger.id).get() }
      // That one is being cancelled: its file is free once it has come to rest.
      if Task.isCancelled { throw .cancelled }
      await flight.rest()
    }
  }

  /// How many requests wait for this digest.
  func passengers(for digest: SHA256Digest) -> Int {
    state.withLock { $0.flights[digest] }?.passengerCount ?? 0
  }

  private func board(
    _ passenger: Flight.Passenger, for digest: SHA256Digest
  ) -> (flight: Flight, isNew: Bool, isAboard: Bool) {
    state.withLock { state in
      if let flight = state.flights[digest] { return (flight, false, flight.board(passenger)) }
      let flight = Flight()
      state.flights[digest] = flight
      return (flight, true, flight.board(passenger))
    }
  }

  private func start(_ flight: Flight, _ source: PackageSource, _ url: WebURL, _ aid: PackageAid) {
    flight.start { [self] in
      let outcome = await outcome(of: source, url, aid) { flight.report($0) }
      _ = state.withLock { $0.flights.removeValue(forKey: source.sha256) }
      return outcome
    }
  }

  private func outcome(
    of source: PackageSource, _ url: WebURL, _ aid: PackageAid,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async -> Flight.Outcome {
    let meter = ByteCount()
    let opened: Result<File, SystemError> = await disk.run { [partials] in
      Result { () throws(SystemError) in
        // Nobody's download is a folder, a symlink or a pipe: whatever it is, it would be in the way for ever.
        if let status = try partials.status(of: source.partialName), status.kind != .regular {
          try partials.removeTree(source.partialName)
        }
        return try partials.file(source.partialName, mode: .readWrite)
      }
    }
    do throws(DownloadError) {
      let file = try opened.mapError { DownloadError.disk($0) }.get()
      let notes = try await fetch(of: source, url, aid, file, meter, progress).run()
      return .success(
        FetchedPackage(file: file, name: source.partialName, bytesFetched: meter.value, notes: notes))
    } catch {
      return .failure(blamed(error))
    }
  }

  /// Throws for what is no URL, and for an http one named by an https server.
  func followable(_ text: String) throws(DownloadError) -> WebURL {
    guard let url = WebURL(text), server.scheme == .http || url.scheme == .https else { throw .badURL(text) }
    return url
  }

  func fetch(
    of source: PackageSource, _ url: WebURL, _ aid: PackageAid, _ file: File, _ meter: ByteCount,
    _ progress: @escaping @Sendable (DownloadProgress) -> Void
  ) -> PackageFetch {
    PackageFetch(
      source: source, url: url, aid: aid, token: token, engine: engine, file: file, volume: volume,
      retries: retries, timer: timer, disk: disk, hashers: hashers, shelf: shelf, meter: meter, total: total,
      progress: progress)
  }

  /// Tells a refusal by the depot, which is the token's matter; elsewhere it says nothing of the token, which does not
  /// go there.
  func blamed(_ error: DownloadError) -> DownloadError {
    guard case .transfer(let transfer) = error, transfer.isNotPermitted, case .status(let failure) = transfer,
      WebURL(failure.url)?.origin == server.origin
    else { return error }
    return .notPermitted(url: failure.url, status: failure.status)
  }
}
