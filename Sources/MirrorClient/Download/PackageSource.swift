public import DepotModel
public import Platform

/// A package as the catalogue names it: where it is and what its bytes must be.
public struct PackageSource: Sendable, Hashable {
  /// Absolute, http or https; checked when it is fetched.
  public let url: String
  /// Decides whether the bytes are the right ones, and names the partial.
  public let sha256: SHA256Digest
  /// Checked, too.
  public let md5: MD5Digest
  /// Bytes.
  public let size: Int64
  /// For messages: the game and version, say.
  public let label: String

  /// What the catalogue said.
  public init(url: String, sha256: SHA256Digest, md5: MD5Digest, size: Int64, label: String) {
    self.url = url
    self.sha256 = sha256
    self.md5 = md5
    self.size = size
    self.label = label
  }

  /// The name of its partial in the folder of partials, until the whole is moved out of it.
  public var partialName: String { "\(sha256.hex).part" }
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
  /// What is happening.
  public enum Phase: Sendable, Hashable {
    /// A partial from before is being read and hashed.
    case checking
    case fetching
    /// Everything is here; until it is on the disk.
    case finishing
    /// The last try failed; the next comes after a pause.
    case waiting(TransferFailure)
  }

  /// What is happening.
  public let phase: Phase
  /// Bytes that stand in the partial.
  public let done: Int64
  /// Bytes of the whole.
  public let total: Int64
  /// Bytes that came over the network for this download until now, repeats included.
  public let fetched: Int64
}

/// Why the last try failed, as text for people.
public struct TransferFailure: Sendable, Hashable {
  /// One line for people.
  public let text: String
}

/// A package that is here whole: its size and both digests are those of its source, and it is on the disk.
public struct FetchedPackage: Sendable {
  /// Open for reading and writing.
  public let file: File
  /// In the folder of partials; the caller renames it out of there.
  public let name: String
  /// Bytes that came over the network for it in this download, repeats included; 0 when the partial was whole already.
  public let bytesFetched: Int64
  /// What is worth telling though it is no failure, such as why it was fetched whole after all. One line each.
  public let notes: [String]

  /// All of it.
  public init(file: File, name: String, bytesFetched: Int64, notes: [String] = []) {
    self.file = file
    self.name = name
    self.bytesFetched = bytesFetched
    self.notes = notes
  }
}
