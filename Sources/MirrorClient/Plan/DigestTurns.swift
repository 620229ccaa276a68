internal import DepotModel
internal import Synchronization

/// Lets one task at a time work with the bytes of one digest: two games may have the very same package, and there is one
/// partial for it, which the first to install moves away.
final class DigestTurns: Sendable {
  /// Present while somebody has the turn.
  private let waiters = Mutex<[SHA256Digest: [CheckedContinuation<Void, Never>]]>([:])

  /// Runs `body` when nobody else is at `digest`.
  func take<Result, Failure: Error>(
    _ digest: SHA256Digest, _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    await enter(digest)
    defer { leave(digest) }
    return try await body()
  }

  private func enter(_ digest: SHA256Digest) async {
    await withCheckedContinuation { continuation in
      let isFree = waiters.withLock { waiters in
        guard waiters[digest] == nil else {
          waiters[digest]?.append(continuation)
          return false
        }
        waiters[digest] = []
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave(_ digest: SHA256Digest) {
    let next = waiters.withLock { waiters -> CheckedContinuation<Void, Never>? in
      guard let queue = waiters[digest], !queue.isEmpty else {
        waiters[digest] = nil
        return nil
      }
      return waiters[digest]?.removeFirst()
    }
    next?.resume()
  }
}
