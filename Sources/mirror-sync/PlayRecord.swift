import DepotModel
import MirrorClient
import Platform
import PlayService
import Synchronization

/// A mirror's record for the play server. One that cannot be read is told once; games are played without it.
final class PlayRecord: MirrorRecord {
  private let mirror: Mirror
  private let logger: Logger
  private let told = Mutex<String?>(nil)

  init(destination: String, logger: Logger) {
    mirror = Mirror(destination: destination)
    self.logger = logger
  }

  func version(_ id: GameID, _ version: H5Version) -> RecordedVersion? {
    do throws(MirrorError) {
      guard let files = try mirror.installedFiles(of: id, version) else { return nil }
      return RecordedVersion(
        files: files.map {
          RecordedFile(
            path: $0.path, size: $0.size, sha256: $0.sha256, modifiedAtNanoseconds: $0.modifiedAtNanoseconds)
        })
    } catch {
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
