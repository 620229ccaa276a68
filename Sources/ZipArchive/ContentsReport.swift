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
  // Words and not arrays: a package may have 100,000 files.
  private let plain: Plain?
  private let packed: Words

  /// Of the unpacked bytes; nil for an encrypted file, unless its password was given.
  public var sha256: [UInt8]? { plain?.sha256.bytes }
  /// Of the unpacked bytes; nil for an encrypted file, unless its password was given.
  public var md5: [UInt8]? { (plain?.md5.bytes.prefix(16)).map { Array($0) } }
  /// Of the bytes as they lie in the zip.
  public var compressedSHA256: [UInt8] { packed.bytes }

  init(sha256: [UInt8], md5: [UInt8], compressedSHA256: [UInt8]) {
    plain = Plain(sha256: Words(sha256), md5: Words(md5))
    packed = Words(compressedSHA256)
  }

  init(compressedSHA256: [UInt8]) {
    plain = nil
    packed = Words(compressedSHA256)
  }

  private struct Plain: Hashable {
    let sha256: Words
    let md5: Words
  }

  /// At most 32 bytes.
  private struct Words: Hashable {
    private let first, second, third, fourth: UInt64

    init(_ bytes: [UInt8]) {
      func word(_ index: Int) -> UInt64 { index * 8 + 8 <= bytes.count ? bytes.uint64(at: index * 8) : 0 }
      (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
    }

    var bytes: [UInt8] {
      [first, second, third, fourth].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
      }
    }
  }
}
