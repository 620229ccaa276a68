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
  private let plain: Plain?
  private let packed: DigestWords

  /// Of the unpacked bytes; nil for an encrypted file, unless its password was given.
  public var sha256: [UInt8]? { plain?.sha256.bytes }
  /// Of the unpacked bytes; nil for an encrypted file, unless its password was given.
  public var md5: [UInt8]? { (plain?.md5.bytes.prefix(16)).map { Array($0) } }
  /// Of the bytes as they lie in the zip.
  public var compressedSHA256: [UInt8] { packed.bytes }

  init(sha256: [UInt8], md5: [UInt8], compressedSHA256: [UInt8]) {
    plain = Plain(sha256: DigestWords(sha256), md5: DigestWords(md5))
    packed = DigestWords(compressedSHA256)
  }

  init(compressedSHA256: [UInt8]) {
    plain = nil
    packed = DigestWords(compressedSHA256)
  }

  private struct Plain: Hashable {
    let sha256: DigestWords
    let md5: DigestWords
  }
}
