internal import HTTPWire
internal import Platform

/// What the first and last bytes of a file tell of its coding.
enum CodedBytes {
  /// How many bytes at the beginning `coding` wants to see; fewer when the file has no more.
  static let prefixCount = 64

  /// The coding that a file is in whose name promises one; nil when the name lies, and it is sent as it is.
  static func coding(of prefix: [UInt8], promised promise: CodedName.Promise) -> ContentCoding? {
    switch promise {
    case .gzip: isGzip(prefix) ? .gzip : nil
    // RFC 7932 has no magic number, and a stream may even begin as gzip does: only an empty file is none for sure.
    case .brotli: prefix.isEmpty ? nil : .brotli
    case .unity: isGzip(prefix) ? .gzip : isUnityBrotli(prefix) ? .brotli : nil
    }
  }

  /// Whether a gzip file holds so many bytes, as far as its ends tell: a neighbour that is cut off, or left over from an
  /// older build, does not. RFC 1952 §2.3.1: the last four bytes are the size modulo 2^32.
  static func isGzip(_ file: File, size: Int64, of unpacked: Int64) throws(SystemError) -> Bool {
    guard size >= 18, isGzip(try file.bytes(at: 0, count: 3)) else { return false }
    let end = try file.bytes(at: size - 4, count: 4)
    let told = end.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    return end.count == 4 && told == UInt32(truncatingIfNeeded: unpacked)
  }

  /// RFC 1952 §2.3.1: ID1, ID2, and CM, of which there is only deflate.
  private static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1f, 0x8b, 8]) }

  /// Unity's loaders know their brotli by a meta-block that is skipped (RFC 7932 §9.2, MNIBBLES 0) and holds a comment.
  private static func isUnityBrotli(_ bytes: [UInt8]) -> Bool {
    let comment = Array("UnityWeb Compressed Content (brotli)".utf8)
    guard let first = bytes.first else { return false }
    // RFC 7932 §9.1: WBITS takes 1, 4 or 7 bits; 0010001 is none.
    let windowBits = first & 1 == 0 ? 1 : first & 0x0e == 0 ? 7 : 4
    let window = Int(first) & (1 << windowBits - 1)
    guard window != 0x11 else { return false }
    // ISLAST 0, MNIBBLES 11 (none), a reserved bit 0, MSKIPBYTES 01 and MSKIPLEN - 1 in one byte; then up to a byte's end.
    let header = window | (0b11 << 1 | 1 << 4 | (comment.count - 1) << 6) << windowBits
    let count = (windowBits + 14 + 7) / 8
    guard bytes.count >= count + comment.count else { return false }
    for index in 0..<count where Int(bytes[index]) != header >> (8 * index) & 0xff { return false }
    return bytes[count..<count + comment.count].elementsEqual(comment)
  }
}
