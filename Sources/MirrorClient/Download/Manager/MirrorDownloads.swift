internal import DepotModel
internal import HTTPClient
internal import Platform
internal import Synchronization

/// The package downloads of one sync: at most so many at a time, in order, each with a receipt in `mirror.sqlite` until
/// its game is installed.
struct MirrorDownloads: Sendable {
  private let manager: DownloadManager

  /// A small package is fetched and installed in less: it never has a row, which would cost more than its bytes.
  private static let linger = Duration.milliseconds(250)

  init(
    store: Store, partials: Directory, maximumActive: Int, order: DownloadOrder
  ) throws(MirrorError) {
    do throws(DownloadError) {
      manager = try DownloadManager(
        room: store, folder: partials, maximumActive: maximumActive, order: order, transfers: nil,
        linger: Self.linger, now: { SystemClock.monotonicMilliseconds })
    } catch {
      throw MirrorError(error)
    }
    for receipt in manager.receipts where receipt.state == .none { manager.forget(receipt.id) }
  }

  /// Runs `body`, which brings the package here, when there is a free place. It tells the bytes that are here.
  /// Cancelling the task ends the waiting or the body.
  func pass(
    _ release: Release,
    _ body:
      @escaping @Sendable (_ progress: @escaping @Sendable (Int64) -> Void) async throws(MirrorError) ->
      FetchedPackage
  ) async throws(MirrorError) -> FetchedPackage {
    let result = StopOver<Result<FetchedPackage, MirrorError>>()
    let size = release.size
    do throws(DownloadError) {
      _ = try await manager.run(Download(package: PackageSource(release))) {
        (receipt, reporter) async throws(DownloadError) in
        do throws(MirrorError) {
          let package = try await body { written in reporter.moved(written, size, written) }
          result.value = .success(package)
          return DownloadArrival(
            file: StandingFile(
              path: package.file.path, size: size, sha256: release.sha256, validators: .none, isOurs: true),
            suggestedName: nil)
        } catch {
          result.value = .failure(error)
          throw DownloadError(error)
        }
      }
    } catch {
      // The body's own words, where it had any.
      guard let result = result.value else { throw MirrorError(error) }
      return try result.get()
    }
    guard let result = result.value else { throw .cancelled }
    return try result.get()
  }

  /// The package has been installed: its partial is gone, and so is the need for a receipt.
  func forget(_ release: Release) { manager.forget(.package(release.sha256)) }

  /// Returns when every receipt that is left stands in the store.
  func close() async throws(MirrorError) {
    do throws(DownloadError) { try await manager.close() } catch { throw MirrorError(error) }
  }
}

/// Something left by one task for another.
private final class StopOver<Value: Sendable>: Sendable {
  private let held = Mutex<Value?>(nil)

  var value: Value? {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}

extension DownloadError {
  /// For a receipt; the mirror itself tells the error as it was.
  fileprivate init(_ error: MirrorError) {
    switch error {
    case .cancelled: self = .cancelled
    case .system(let error): self = .disk(error)
    case .notPermitted(let url, let status): self = .notPermitted(url: url, status: status)
    case .locked, .unreachable, .badAnswer, .noRoom, .noInodes, .noRoomForAll, .store, .noMirror, .download,
      .refused,
      .passwordNeeded, .wrongPassword, .passwordFile, .unknownGame, .unsound, .heldButGone, .notInstalled,
      .noSuchVersion, .damaged:
      self = .recorded(DownloadFailure(text: error.description, status: nil))
    }
  }
}
