internal import DepotModel
internal import Platform

/// A mirror that a command other than a sync is about to change: locked, and with everything
/// finished that an earlier run left. Needs no network.
struct MirrorSession: Sendable {
  let disk: MirrorDisk
  let store: Store
  let installer: Installer
  /// Games whose install could not be finished.
  let unfinished: [GameID: MirrorError]

  /// Runs `body` with the mirror locked. Throws `noMirror` where there is none, and `locked`.
  static func run<Result>(
    _ mirror: Mirror, lockWait: Duration, passwords: PackagePasswords = .none,
    _ body: (MirrorSession) async throws(MirrorError) -> Result
  ) async throws(MirrorError) -> Result {
    let destination = try mirror.standingDestination()
    let root = try onDisk { () throws(SystemError) in try Directory(path: destination) }
    let lock = try await MirrorLock.acquire(in: root, wait: lockWait)
    let result = try await body(MirrorSession(mirror, root, passwords))
    withExtendedLifetime(lock) {}
    return result
  }

  private init(_ mirror: Mirror, _ root: Directory, _ passwords: PackagePasswords) throws(MirrorError) {
    disk = try onDisk { () throws(SystemError) in try MirrorDisk(root: root, volume: mirror.volume) }
    store = try Store(root: mirror.destination)
    // Nothing is installed anew here, and nothing pruned but what a crash left half pruned.
    installer = Installer(
      disk: disk, store: store, volume: mirror.volume, limits: mirror.limits, keep: .max,
      passwords: passwords, sharesFiles: false, keepsPackages: true, now: mirror.now)
    var unfinished = try GameRemoval(disk: disk, store: store, volume: mirror.volume).finish()
    unfinished.merge(try Recovery(disk: disk, store: store, installer: installer).finishInstalls()) { $1 }
    self.unfinished = unfinished
  }
}
