public import Platform

/// Offers files that stand already in the place of entries that may unpack to the same bytes.
///
/// A candidate is only a guess: the unpacker compares it with what the entry unpacks to, byte for byte, before it is shared.
/// Called from several threads at once.
public protocol FileSharing: Sendable {
  /// A file that may hold the very bytes of `entry`; nil for none. A failure to open one counts as none.
  func candidate(for entry: PackageEntry) -> SharedFile?
  /// Gives the candidate, now proven to be equal, the name `name` in `folder`, durable but for the name itself. Nil when it
  /// cannot be shared after all: then the entry is written, and nothing may have been left under that name.
  func share(
    _ candidate: SharedFile, as name: String, in folder: Directory
  ) throws(SystemError) -> FileStatus?
}

/// A file that may be shared, open, and where it stands.
public struct SharedFile: Sendable {
  /// Open for reading.
  public let file: File
  /// The folder it stands in.
  public let folder: Directory
  /// Its name there.
  public let name: String

  /// All of it.
  public init(file: File, folder: Directory, name: String) {
    self.file = file
    self.folder = folder
    self.name = name
  }
}
