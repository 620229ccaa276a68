import DepotModel
import MirrorClient
import Platform
import PlayService
import Synchronization

/// A mirror's record for the play server. One that cannot be read is told once; games are played without it.
final class PlayRecord: MirrorRecord {
  private let library: MirrorLibrary
  private let logger: Logger
  private let told = Mutex<String?>(nil)

  init(destination: String, logger: Logger) {
    library = MirrorLibrary(destination: destination)
    self.logger = logger
  }

  func games() -> [RecordedGame] {
    reading { () throws(MirrorError) in try library.games().map(Self.recorded) } ?? []
  }

  func game(_ id: GameID) -> RecordedGame? {
    reading { () throws(MirrorError) in try library.game(id).map(Self.recorded) }
  }

  func version(_ id: GameID, _ version: H5Version) -> RecordedVersion? {
    reading { () throws(MirrorError) in try library.version(id, version) }.map { found in
      RecordedVersion(
        files: found.files.map {
          RecordedFile(
            path: $0.path, size: $0.size, sha256: $0.sha256, modifiedAtNanoseconds: $0.modifiedAtNanoseconds)
        }, needsIsolation: found.needsIsolation)
    }
  }

  private static func recorded(_ game: MirrorLibrary.Game) -> RecordedGame {
    RecordedGame(
      id: game.installed.id, version: game.installed.version, title: game.installed.title,
      size: game.installed.unpackedSize, installedAt: game.installed.installedAt, newer: game.newer)
  }

  private func reading<Value>(_ read: () throws(MirrorError) -> Value?) -> Value? {
    do throws(MirrorError) { return try read() } catch {
      tell(error.description)
      return nil
    }
  }

  private func tell(_ reason: String) {
    let isNew = told.withLock { told in
      defer { told = reason }
      return told != reason
    }
    if isNew { logger.warning("the mirror's record cannot be read", ["cause": reason]) }
  }
}
