/// What unpacking a package left on disk.
public struct UnpackedPackage: Sendable, Hashable {
  /// In the order of `PackagePlan.files`; empty unless `UnpackOptions.digests` asked for it, or only some were unpacked.
  public let files: [UnpackedFile]
  /// Every folder that the package has, parents included, sorted.
  public let folders: [String]
}

/// One file as it was written.
public struct UnpackedFile: Sendable, Hashable {
  private let digest: DigestWords
  /// Of the unpacked bytes, whatever the entry declares.
  public let crc32: UInt32
  /// When its contents were last changed, in nanoseconds since 1970.
  public let modifiedAtNanoseconds: Int64
  /// It was not written but shares its bytes with a file that stood already.
  public let isShared: Bool

  /// Of the unpacked bytes; 32.
  public var sha256: [UInt8] { digest.bytes }

  init(sha256: [UInt8], crc32: UInt32, modifiedAtNanoseconds: Int64, isShared: Bool) {
    digest = DigestWords(sha256)
    self.crc32 = crc32
    self.modifiedAtNanoseconds = modifiedAtNanoseconds
    self.isShared = isShared
  }
}
