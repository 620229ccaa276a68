internal import Catalogue
internal import DepotModel
internal import Synchronization

/// When tokens were last accepted, kept in memory until it is written: no request waits for that, and answers that are
/// kept ready are forgotten for it at most once a minute. Any thread.
final class TokenUses: Sendable {
  private let pending = Mutex<[Int64: Timestamp]>([:])

  /// A token was accepted. What is noted already does not become more exact than a minute.
  func note(_ token: TokenRecord, at time: Timestamp) {
    if let last = token.lastUsedAt, time.seconds - last.seconds < 60 { return }
    pending.withLock { $0[token.id] = time }
  }

  /// Writes what was noted; what cannot be written now is kept for the next time.
  func write(to catalogue: Catalogue) throws(CatalogueError) {
    let uses = pending.withLock { pending in
      defer { pending = [:] }
      return pending
    }
    do throws(CatalogueError) { try catalogue.noteTokenUses(uses) } catch {
      pending.withLock { $0.merge(uses) { newer, _ in newer } }
      throw error
    }
  }
}
