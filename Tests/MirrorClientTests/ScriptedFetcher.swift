import DepotModel
import Platform
import Synchronization

@testable import MirrorClient

/// Brings packages out of a `ScriptedDepot`, and fails when told to.
final class ScriptedFetcher: PackageFetching {
  private struct State {
    var fetched: [String] = []
    var requests: [PackageRequest] = []
    var contents: PackageContents?
    var failures: [String: MirrorError] = [:]
    var active = 0
    var mostActive = 0
    var waits = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let depot: ScriptedDepot
  private let partials: Mutex<Directory?> = Mutex(nil)
  private let state = Mutex(State())

  init(_ depot: ScriptedDepot) { self.depot = depot }

  /// `id version` of each package that was asked for.
  var fetched: [String] { state.withLock { $0.fetched.sorted() } }
  var mostActive: Int { state.withLock { $0.mostActive } }
  var waiting: Int { state.withLock { $0.waiters.count } }

  /// As they came.
  var requests: [PackageRequest] { state.withLock { $0.requests } }
  /// Lets the indexes say that.
  func setContents(_ contents: PackageContents?) { state.withLock { $0.contents = contents } }
  func contents(of request: PackageRequest) async throws(MirrorError) -> PackageContents? {
    state.withLock { $0.contents }
  }

  func forget() { state.withLock { $0.fetched = [] } }
  func fail(_ id: String, with error: MirrorError?) { state.withLock { $0.failures[id] = error } }
  func use(_ directory: Directory) { partials.withLock { $0 = directory } }

  /// Fetches stop half way until `letGo`.
  func holdBack() { state.withLock { $0.waits = true } }

  func letGo() {
    state.withLock { $0.waits = false }
    wakeAll()
  }

  func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    let release = request.release
    let failure = state.withLock { state in
      state.fetched.append("\(release.id) \(release.version)")
      state.requests.append(request)
      state.active += 1
      state.mostActive = max(state.mostActive, state.active)
      return state.failures[release.id.text]
    }
    defer { state.withLock { $0.active -= 1 } }
    if let failure { throw failure }
    guard let package = depot.package(of: release), let folder = partials.withLock({ $0 }) else {
      throw .download(reason: "status 404")
    }
    let name = MirrorDisk.partialName(release.sha256)
    let file = try onDisk { () throws(SystemError) in try folder.file(name, mode: .readWrite) }
    try onDisk { () throws(SystemError) in
      try SystemVolume().write(Array(package.bytes.prefix(package.bytes.count / 2)), to: file, at: 0)
    }
    progress(Int64(package.bytes.count / 2))
    await pause()
    if Task.isCancelled { throw .cancelled }
    try onDisk { () throws(SystemError) in
      try SystemVolume().write(package.bytes, to: file, at: 0)
      try SystemVolume().synchronize(file)
    }
    progress(Int64(package.bytes.count))
    return FetchedPackage(file: file, name: name, bytesFetched: Int64(package.bytes.count), notes: [])
  }

  /// A cancelled fetch waits no longer; the others do.
  private func pause() async {
    while state.withLock({ $0.waits }), !Task.isCancelled {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let goesOn = state.withLock { state in
            if state.waits, !Task.isCancelled { state.waiters.append(continuation) }
            return !state.waits || Task.isCancelled
          }
          if goesOn { continuation.resume() }
        }
      } onCancel: {
        wakeAll()
      }
    }
  }

  private func wakeAll() {
    let waiters = state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
