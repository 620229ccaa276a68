internal import DepotModel
internal import Platform

/// Removes a game: first what is known of it, then its files. A crash in between is made good by the next run of any command
/// that changes the mirror, without the network.
struct GameRemoval: Sendable {
  let disk: MirrorDisk
  let store: Store
  let volume: any Volume

  /// Forgets the game and removes its files, packages and unfinished downloads. False when nothing was there.
  @discardableResult
  func remove(_ id: GameID) throws(MirrorError) -> Bool {
    let digests = try store.digests(of: id)
    let isKnown = try store.beginRemoval(of: id)
    return try removeFiles(of: id, digests) || isKnown
  }

  /// Finishes what an earlier run began. Returns the games where that failed.
  func finish() throws(MirrorError) -> [GameID: MirrorError] {
    var failures: [GameID: MirrorError] = [:]
    for id in try store.removals() {
      do throws(MirrorError) {
        _ = try removeFiles(of: id, try store.digests(of: id))
      } catch {
        failures[id] = error
      }
    }
    return failures
  }

  private func removeFiles(of id: GameID, _ digests: [SHA256Digest]) throws(MirrorError) -> Bool {
    let stillWanted = try store.wantedDigests(besides: id)
    let found = try onDisk { () throws(SystemError) in
      var found = false
      for folder in [disk.games, disk.packages] {
        let name = "\(MirrorDisk.removedPrefix)\(id.text)"
        if try folder.status(of: id.text) != nil {
          // Out of sight in one step: nobody plays half a game.
          try volume.removeTree(name, in: folder)
          try volume.rename(id.text, in: folder, to: name, in: folder)
          try volume.synchronize(folder)
          found = true
        }
        try volume.removeTree(name, in: folder)
      }
      let unwanted = Set(digests.map(\.hex)).subtracting(stillWanted)
      for name in try disk.partials.names() where unwanted.contains(String(name.prefix { $0 != "." })) {
        try volume.removeTree(name, in: disk.partials)
        found = true
      }
      return found
    }
    try store.endRemoval(of: id)
    return found
  }
}
