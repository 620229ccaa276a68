internal import DepotModel

/// `manifest.json` of a backup: what belongs to it, and what it must hash to. Written last.
struct BackupManifest: Codable, Sendable, Hashable {
  static let name = "manifest.json"
  /// Bytes of one that are read: some millions of packages.
  static let limit: Int64 = 1 << 30

  /// Of this form; a program refuses a higher one.
  var format = 1
  let createdAt: Timestamp
  /// The depot's UUID; a restored one gets another.
  let catalogue: String
  let revision: Int64
  /// Of `catalogue.sqlite`.
  let catalogueSha256: SHA256Digest
  let packages: [Package]

  /// A file beneath `blobs/sha256`.
  struct Package: Codable, Sendable, Hashable {
    let sha256: SHA256Digest
    let size: Int64
  }
}

/// Why a backup cannot be made, or restored.
public enum BackupError: Error, Sendable, CustomStringConvertible {
  /// Something stands where the backup, or the depot, is to be made.
  case occupied(String)
  /// There is no backup.
  case missing(String)
  /// It is not what was written, or of a newer program.
  case unreadable(String)
  /// A server runs on the folder that is to be restored.
  case busy(String)
  case depot(DepotError)

  /// One line for a log or a terminal.
  public var description: String {
    switch self {
    case .occupied(let path): "\(path) is there already: nothing was changed, choose another folder"
    case .missing(let path): "\(path) holds no backup: it has no \(BackupManifest.name)"
    case .unreadable(let reason): reason
    case .busy(let path): "a server runs on \(path)"
    case .depot(let error): error.description
    }
  }
}

/// What a backup, or what was restored of one, consists of.
public struct BackupReport: Sendable {
  /// Packages that are in it.
  public internal(set) var packages = 0
  /// Bytes of them.
  public internal(set) var bytes: Int64 = 0
  /// Of `packages`, those that share their bytes on the disk with the depot.
  public internal(set) var linked = 0
  /// Packages that are missing or damaged, and why. Everything else is there.
  public internal(set) var lost: [(package: String, reason: String)] = []
}
