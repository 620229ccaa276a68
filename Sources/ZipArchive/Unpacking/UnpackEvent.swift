/// What happens while a package is unpacked. Entries are unpacked several at a time, so that one may begin before another
/// has ended; but events are told one after the other.
public enum UnpackEvent: Sendable, Hashable {
  /// Before anything is written: files, and bytes they have as declared.
  case begins(files: Int, bytes: Int64)
  /// A file is about to be unpacked; `index` is its place in `PackagePlan.files`.
  case beginsFile(PackageEntry, index: Int)
  /// More was written.
  case progress(UnpackProgress)
  /// A file is there whole, checked (and skipped, should the options say so).
  case endsFile(PackageEntry, index: Int)
  /// Everything is there, and on the disk if that was asked for.
  case ends(UnpackProgress)
}

/// How far an unpacking is.
public struct UnpackProgress: Sendable, Hashable {
  /// Bytes written.
  public var bytes: Int64
  /// Files finished.
  public var entries: Int

  /// That far.
  public init(bytes: Int64, entries: Int) {
    self.bytes = bytes
    self.entries = entries
  }
}

/// What whoever is told of an event wants.
public enum UnpackDecision: Sendable, Hashable {
  case goOn
  /// Stop soon: unpacking throws `cancelled`.
  case cancel
}
