import DepotModel
import HTTPClient
import Platform
import Synchronization
import Testing
import ZipArchive

@testable import MirrorClient

/// A mirror in a temporary folder, a depot in memory, and what happened between them.
final class Bench: Sendable {
  let folder: BenchFolder
  let depot = ScriptedDepot()
  let fetcher: ScriptedFetcher
  private let eventLog = Mutex<[SyncEvent]>([])

  init() throws {
    folder = try BenchFolder()
    fetcher = ScriptedFetcher(depot)
  }

  var events: [SyncEvent] { eventLog.withLock { $0 } }
  var destination: String { "\(folder.path)/mirror" }

  static func options(
    only: [String] = [], included: [String] = [], excluded: [String] = [], concurrency: Int = 2,
    order: DownloadOrder = .fifo, keep: Int = 2, unpacks: Bool = true, usesDelta: Bool = true,
    sharesFiles: Bool = true, keepsPackages: Bool = true,
    deleting: DeletionLimit? = nil, within time: Duration? = nil, lockWait: Duration = .zero,
    channel: ChannelName = .stable, passwords: PackagePasswords = .none
  ) -> SyncOptions {
    SyncOptions(
      channel: channel,
      selection: GameSelection(
        only: Set(only.compactMap { GameID($0) }), included: Set(included.compactMap { GamePattern($0) }),
        excluded: Set(excluded.compactMap { GamePattern($0) })),
      concurrency: concurrency, order: order, keep: keep, unpacks: unpacks, usesDelta: usesDelta,
      sharesFiles: sharesFiles, keepsPackages: keepsPackages, deletionLimit: deleting, maximumTime: time,
      lockWait: lockWait,
      passwords: passwords)
  }

  func mirror(
    volume: any Volume = SystemVolume(), limits: ZipLimits = .standard, at seconds: Int64 = 1_800_000_000,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) -> Mirror {
    Mirror(destination: destination, volume: volume, limits: limits, sleep: sleep) {
      Timestamp(seconds: seconds)
    }
  }

  @discardableResult
  func sync(
    _ options: SyncOptions = Bench.options(), volume: any Volume = SystemVolume(),
    at seconds: Int64 = 1_800_000_000
  ) async throws(MirrorError) -> SyncReport {
    try await sync(options, by: mirror(volume: volume, at: seconds))
  }

  @discardableResult
  func sync(_ options: SyncOptions, by mirror: Mirror) async throws(MirrorError) -> SyncReport {
    let fetcher = fetcher
    return try await mirror.sync(
      from: depot,
      fetching: { (partials) throws(MirrorError) in
        fetcher.use(partials)
        return fetcher
      }, options: options
    ) { [weak self] event in self?.eventLog.withLock { $0.append(event) } }
  }

  /// As `mirror-sync verify`, with `--repair --server` when told to mend.
  func verify(
    full: Bool = false, repairs: Bool = false, fetches: Bool = true, only: [String] = [],
    volume: any Volume = SystemVolume(), passwords: PackagePasswords = .none
  ) async throws(MirrorError) -> VerifyReport {
    let fetcher = fetcher
    return try await mirror(volume: volume).verify(
      VerifyOptions(
        only: Set(only.compactMap { GameID($0) }), isFull: full, repairs: repairs, lockWait: .zero,
        passwords: passwords),
      from: fetches ? depot : nil,
      at: { WebURL("http://depot.test/games/\($0)/versions/\($1)/package.zip") },
      fetching: { (partials) throws(MirrorError) in
        fetcher.use(partials)
        return fetcher
      })
  }

  /// What a player would get of a game.
  func page(_ id: String) -> String? { folder.text("mirror/games/\(id)/current/index.html") }
  func current(_ id: String) -> String? { folder.link("mirror/games/\(id)/current") }
  func versions(_ id: String) -> [String] { folder.names("mirror/games/\(id)/versions") }
  func packages(_ id: String) -> [String] { folder.names("mirror/packages/\(id)") }
  func leftovers(_ id: String) -> [String] {
    folder.names("mirror/games/\(id)").filter { $0.hasPrefix(".") } + folder.names("mirror/partial")
  }

  func result(_ report: SyncReport, _ id: String) -> GameOutcome.Result? {
    report.outcomes.first { $0.game == id }?.result
  }
}

func version(_ text: String) throws -> H5Version { try #require(H5Version(text)) }
func game(_ text: String) throws -> GameID { try #require(GameID(text)) }
