internal import DepotModel
internal import Platform

/// Removes a game with all its versions: the record first, then `current`, then the files, so that at no moment half a game
/// is taken for one. What a crash leaves is removed by the next run, which needs no network for it.
struct GameRemoval: Sendable {
  let disk: MirrorDisk
  let store: Store
  let volume: any Volume

  func remove(_ id: GameID) throws(MirrorError) {
    try store.beginRemoval(id)
    try removeFiles(id)
  }

  /// Finishes what an earlier run began. Returns the games where that failed.
  func finish() throws(MirrorError) -> [GameID: MirrorError] {
    var failures: [GameID: MirrorError] = [:]
    for id in try store.removals() {
      do throws(MirrorError) { try removeFiles(id) } catch { failures[id] = error }
    }
    return failures
  }

  private func removeFiles(_ id: GameID) throws(MirrorError) {
    try onDisk { () throws(SystemError) in
      if try disk.games.status(of: id.text)?.kind == .directory {
        try disk.games.removeTree("\(id.text)/\(MirrorDisk.current)")
      }
      try disk.games.removeTree(id.text)
      try disk.packages.removeTree(id.text)
      // Else the record could be gone for good after a power cut, and the files be back.
      try volume.synchronize(disk.games)
      try volume.synchronize(disk.packages)
    }
    try store.endRemoval(id)
  }
}
