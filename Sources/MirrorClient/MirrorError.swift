public import Platform

/// Why a sync, or one game of it, could not be done.
public enum MirrorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another run holds the lock and did not let go in the time allowed.
  case locked(path: String)
  /// No answer from the server, after all retries.
  case unreachable(url: String, reason: String)
  /// An answer that breaks the contract: nothing of it was used.
  case badAnswer(url: String, reason: String)
  /// The server wants a token, or refused the one it got.
  case notPermitted(url: String, status: Int)
  /// The package would not fit; nothing of it was fetched. Bytes.
  case noRoom(needed: Int64, available: Int64, path: String)
  /// The file system has too few inodes left for the files of the package.
  case noInodes(needed: Int64, available: Int64, path: String)
  /// All that is to be done would not fit, whatever may be removed for it; nothing was fetched. Every file system.
  case noRoomForAll([SyncPlan.Device])
  /// The operating system failed a call.
  case system(SystemError)
  /// `mirror.sqlite` cannot be read or written, or is newer than this program.
  case store(path: String, reason: String, isUnwritable: Bool)
  /// There is no mirror in this folder.
  case noMirror(path: String)
  /// The package could not be fetched, or what came is not what the server promised.
  case download(reason: String)
  /// The package breaks rules; one line a finding.
  case refused(findings: [String])
  /// Files of the package are encrypted, and there is no password for the game.
  case passwordNeeded
  /// None of the passwords for the game opens its package; the last one leaves these files closed.
  case wrongPassword(paths: [String])
  /// The password file cannot be understood.
  case passwordFile(reason: String)
  /// The version did not stand as its package lists it once it was in place; what was there before is back, and the version is
  /// not tried again before `until` (RFC 3339).
  case unsound(version: String, until: String, reason: String)
  /// The version a game was rolled back to, and is held at, is not whole on disk.
  case heldButGone(version: String)
  /// The mirror has nothing of this game.
  case notInstalled(String)
  /// The game has no such version here, or no other one than the one in use; those that are kept.
  case noSuchVersion(game: String, version: String?, kept: [String])
  /// Files of the version are not as they were installed; one line each.
  case damaged(version: String, findings: [String])
  /// The server does not have a game that was asked for by name.
  case unknownGame(String)
  /// Stopped from outside; partial downloads are kept.
  case cancelled

  /// The exit code a run that ends with this failure has (sysexits(3) where one fits).
  public var exitCode: Int32 {
    switch self {
    case .locked: 75
    case .unreachable, .badAnswer: 69
    case .notPermitted: 77
    case .noRoom, .noInodes, .noRoomForAll, .system: 73
    case .store(_, _, let isUnwritable): isUnwritable ? 73 : 65
    case .noMirror, .passwordFile: 64
    case .damaged: 65
    case .download, .refused, .passwordNeeded, .wrongPassword, .unknownGame, .unsound, .heldButGone,
      .notInstalled, .noSuchVersion:
      1
    case .cancelled: 130
    }
  }

  /// One line that says what happened and, where something can be done, what.
  public var description: String {
    switch self {
    case .locked(let path): "another run holds \(path); wait for it with --lock-wait"
    case .unreachable(let url, let reason): "cannot reach \(url): \(reason)"
    case .badAnswer(let url, let reason): "unusable answer from \(url): \(reason)"
    case .notPermitted(let url, let status):
      "\(url) refused access (\(status)); give a token that may read with --token-file"
    case .noRoom(let needed, let available, let path):
      "not enough room in \(path): needs \(needed) bytes, \(available) are free"
    case .noInodes(let needed, let available, let path):
      "not enough inodes in \(path): needs \(needed), \(available) are free"
    case .noRoomForAll(let devices):
      "not enough room, nothing was fetched: \(devices.map(\.text).joined(separator: "; ")); make some, lower --keep, or choose games with --include and --exclude"
    case .system(let error): error.description
    case .store(let path, let reason, let isUnwritable):
      isUnwritable
        ? "cannot write \(path): \(reason)"
        : "cannot use \(path): \(reason); move it away and sync again: packages on disk are not fetched again"
    case .noMirror(let path):
      "\(path) holds no mirror; make one with: mirror-sync --server URL --dest \(path)"
    case .download(let reason): reason
    case .refused(let findings): "the package is refused: \(findings.joined(separator: "; "))"
    case .passwordNeeded:
      "its package is encrypted and there is no password for it; give one with --password-file"
    case .wrongPassword(let paths):
      "the password for its package is wrong (or the bytes were changed): it does not open \(paths.joined(separator: "; "))"
    case .passwordFile(let reason): "the password file cannot be used: \(reason)"
    case .unsound(let version, let until, let reason):
      "version \(version) does not stand as its package lists it: \(reason); it is not tried again before \(until)"
    case .heldButGone(let version):
      "it is held at version \(version), which is not whole: mend it with verify --repair, or end the hold with rollback --release"
    case .notInstalled(let id): "the mirror has no game \(id.debugDescription)"
    case .noSuchVersion(let game, let version, let kept):
      "\(game) has no \(version.map { "version \($0)" } ?? "other version") here; kept are \(kept.joined(separator: ", "))"
    case .damaged(let version, let findings):
      "version \(version) is damaged: \(findings.joined(separator: "; ")); mend it with verify --repair"
    case .unknownGame(let id): "the server has no game \(id.debugDescription)"
    case .cancelled: "stopped; partial downloads are kept"
    }
  }
}
