/// What a zip holds and what the rules say to it, from its directory and headers alone.
public struct PackagePlan: Sendable {
  /// Everything found, in the order of the checks.
  public let findings: [Finding]
  /// What would be unpacked, in the order of the central directory. Complete only when the plan is accepted.
  public let files: [PackageEntry]
  /// Entries that are dropped, and why.
  public let ignored: [IgnoredEntry]
  /// The wrapper folder that the paths have lost, with its slash; empty when there was none.
  public let root: String
  /// How names were read that do not tell it themselves; `utf8` where there are none.
  public let namesEncoding: NamesEncoding
  /// Declared bytes of `files`.
  public let unpackedSize: Int64
  /// Entries in the central directory, folders and junk included.
  public let entryCount: Int

  /// No finding is an error.
  public var isAccepted: Bool { !findings.contains { $0.severity == .error } }
}

/// An entry that is in the zip but is not unpacked.
public struct IgnoredEntry: Sendable, Hashable {
  /// The name in the zip, control characters escaped.
  public let path: String
  /// The rule that drops it: `junk`.
  public let reason: String
}
