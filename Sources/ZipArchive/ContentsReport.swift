/// What inflating every entry of a package told.
public struct ContentsReport: Sendable {
  /// Checksums, sizes and streams that are not what the directory says, and assets that `index.html` misses.
  public let findings: [Finding]
  /// In the order of the plan's files; empty unless digests were asked for and every entry could be read.
  public let files: [FileDigests]
  /// False when the plan's own findings forbid inflating anything (overlapping records, limits): nothing was looked at.
  public let isComplete: Bool

  /// No finding is an error, and everything was looked at.
  public var isAccepted: Bool { isComplete && !findings.contains { $0.severity == .error } }
}

/// The digests of one file of a package.
public struct FileDigests: Sendable, Hashable {
  /// Of the unpacked bytes; nil for an encrypted file.
  public let sha256: [UInt8]?
  /// Of the unpacked bytes; nil for an encrypted file.
  public let md5: [UInt8]?
  /// Of the bytes as they lie in the zip.
  public let compressedSHA256: [UInt8]
}
