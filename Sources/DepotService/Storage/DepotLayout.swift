internal import DepotModel
internal import Platform

/// The folders and files of a depot, and what each is called.
struct DepotLayout: Sendable {
  /// The data folder.
  let root: Directory
  /// Uploads in flight.
  let ingest: Directory
  /// Resumable uploads, until they expire.
  let uploads: Directory
  /// Packages by SHA-256, in folders named by its first two digits.
  let packages: Directory

  /// Opens the folders, making those that are missing; only with `creating` also where no depot is yet, and the data
  /// folder itself, which other users of the machine may not look into.
  init(path: String, creating: Bool) throws(SystemError) {
    root = creating ? try Directory(creating: path, permissions: 0o700) : try Directory(path: path)
    if !creating, try root.status(of: Self.catalogueName) == nil {
      throw SystemError(errno: 2, operation: "open the depot", path: "\(path)/\(Self.catalogueName)")
    }
    ingest = try root.createDirectories("ingest")
    uploads = try root.createDirectories("uploads")
    packages = try root.createDirectories("blobs/sha256")
  }

  /// Where SQLite finds the catalogue.
  var cataloguePath: String { "\(root.path)/\(Self.catalogueName)" }
  static let catalogueName = "catalogue.sqlite"

  /// The folder and the name of a package beneath `packages`.
  static func place(of digest: SHA256Digest) -> (folder: String, name: String) {
    let hex = digest.hex
    return (String(hex.prefix(2)), hex)
  }
}
