public import Catalogue
public import DepotModel
public import Platform
internal import ReadAPI
internal import Synchronization

/// One depot: its data folder, its catalogue, and how a package gets into it. Server and commands share it.
///
/// Any thread; every call may block on the disk.
public final class Depot: Sendable {
  /// What is published.
  public let catalogue: Catalogue
  /// The data folder as it was named.
  public let path: String
  let settings: DepotSettings
  let layout: DepotLayout
  let blobs: BlobStore
  let volume: any Volume
  let clock: @Sendable () -> Timestamp
  let bodyBudget: BodyBudget
  let tokenUses = TokenUses()
  let uploads = UploadCounts()
  private let stopsChecks = Atomic(false)

  /// Opens the depot in a folder, and with `creating` makes and migrates what is missing. `volume` is where tests let
  /// writes fail; `clock` gives the time of publication.
  public init(
    path: String, creating: Bool, settings: DepotSettings, volume: any Volume = SystemVolume(),
    clock: @escaping @Sendable () -> Timestamp = { .now }
  ) throws(DepotError) {
    self.path = path
    self.settings = settings
    self.volume = volume
    self.clock = clock
    bodyBudget = BodyBudget(limit: settings.heldBodies)
    do throws(SystemError) {
      layout = try DepotLayout(path: path, creating: creating)
      // The packages' folder must not be lost in a crash that the first publish survives.
      try volume.synchronize(layout.root)
      try volume.synchronize(layout.root.directory("blobs"))
    } catch {
      throw .system(error)
    }
    do throws(CatalogueError) { catalogue = try Catalogue(path: layout.cataloguePath) } catch {
      throw .catalogue(error)
    }
    blobs = BlobStore(packages: layout.packages, volume: volume, capacity: settings.openPackages)
  }

  /// The lock that makes this the depot's only server; nil when there is one already.
  public func lockForServing() throws(DepotError) -> DepotLock? {
    do throws(SystemError) {
      return try DepotLock.tryAcquire(.serve, .exclusive, in: layout.root)
    } catch { throw .system(error) }
  }

  /// Removes what crashed publishes left behind, and tells how many files that were; nil when it had to leave them
  /// because somebody is publishing now.
  @discardableResult
  public func sweep() throws(DepotError) -> Int? {
    do throws(SystemError) {
      guard let lock = try DepotLock.tryAcquire(.publish, .exclusive, in: layout.root) else { return nil }
      defer { withExtendedLifetime(lock) {} }
      let names = try layout.ingest.names()
      for name in names { try layout.ingest.removeTree(name) }
      return names.count
    } catch { throw .system(error) }
  }

  /// Gives up the checks of packages that run, and those that would begin: nothing is published from then on. For a
  /// server whose time to drain is over.
  public func giveUpChecks() { stopsChecks.store(true, ordering: .relaxed) }

  var givesUpChecks: Bool { stopsChecks.load(ordering: .relaxed) }

  /// Bytes that may still be written before the disk floor is reached; negative below it.
  func roomAboveFloor() throws(SystemError) -> Int64 {
    Int64(clamping: try layout.root.room.bytes) - settings.diskFloor
  }
}

/// Why a depot cannot be worked with.
public enum DepotError: Error, Sendable, CustomStringConvertible {
  case system(SystemError)
  case catalogue(CatalogueError)

  /// One line for a log or a terminal.
  public var description: String {
    switch self {
    case .system(let error): error.description
    case .catalogue(let error): String(describing: error)
    }
  }
}
