internal import DepotModel

/// Which games go because the server no longer has them, and what speaks against it.
///
/// Only what the server does not have is deleted, never what is merely not selected any more: a slip of a pattern must not
/// cost a game.
struct Deletion: Sendable {
  /// Installed games that the server does not have, in the order of their names.
  var gone: [GameID] = []
  /// Those of them that are deleted.
  var doomed: [GameID] = []
  var held: HeldDeletion?

  init() {}

  /// `doubt`: why the catalogue is not to be believed, if anything.
  init(
    gone: [GameID], installed: Int, limit: DeletionLimit?, selection: GameSelection, doubt: String?,
    isReadable: Bool
  ) {
    self.gone = gone
    let candidates = gone.filter(selection.includes)
    guard let limit, !candidates.isEmpty else { return }
    let allowed = limit.allowed(of: installed)
    let reason: HeldDeletion.Reason?
    if !isReadable {
      reason = .unreadable
    } else if limit.isWhatever {
      reason = nil
    } else if let doubt {
      reason = .doubt(doubt)
    } else {
      reason = candidates.count > allowed ? .tooMany(limit: limit, allowed: allowed) : nil
    }
    if let reason {
      held = HeldDeletion(games: candidates.count, installed: installed, reason: reason)
    } else {
      doomed = candidates
    }
  }

  /// What is wrong with a catalogue that is at `now`, once it was seen at `seen`; nil when nothing is.
  static func doubt(seen: CataloguePoint?, now: CataloguePoint, isEmpty: Bool) -> String? {
    if let seen {
      if seen.catalogue != now.catalogue { return "its catalogue is another one than before" }
      if now.revision < seen.revision {
        return "its catalogue went back from revision \(seen.revision) to \(now.revision)"
      }
    }
    return isEmpty ? "its catalogue is empty" : nil
  }
}
