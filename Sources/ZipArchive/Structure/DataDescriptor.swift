/// What stands behind the data of an entry that was written without seeking (APPNOTE 4.3.9).
enum DataDescriptor {
  private static let longest = 24

  /// Its length in bytes, when it says what the directory says: with or without signature, with sizes of 4 or 8 bytes. Nil
  /// when none of the four does. Where two do, the longer: the shorter would leave bytes that nobody owns.
  static func length(at offset: Int64, _ record: Record, in zip: ZipBytes) throws(ZipError) -> Int? {
    let found = try zip.bytes(at: offset, count: longest)
    return forms(of: record).filter { found.starts(with: $0) }.map(\.count).max()
  }

  /// For a finding: what stands there instead.
  static func shown(at offset: Int64, in zip: ZipBytes) throws(ZipError) -> String {
    try zip.bytes(at: offset, count: longest).map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }.joined()
  }

  private static func forms(of record: Record) -> [[UInt8]] {
    forms(
      crc32: record.crc32, compressedSize: UInt64(record.compressedSize), size: UInt64(record.size))
  }

  /// Each way to say it: 12, 16, 20 and 24 bytes.
  static func forms(crc32: UInt32, compressedSize: UInt64, size: UInt64) -> [[UInt8]] {
    let signature = littleEndian(UInt64(Signature.descriptor), 4)
    let crc = littleEndian(UInt64(crc32), 4)
    return [4, 8].flatMap { width in
      let body = crc + littleEndian(compressedSize, width) + littleEndian(size, width)
      return [body, signature + body]
    }
  }

  private static func littleEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }
}
