/// The zip64 end record and its locator (APPNOTE 4.3.14, 4.3.15).
enum Zip64End {
  case absent
  case unreadable(Rule, String)
  case found(EndFields, start: Int64)

  private static let locatorLength = 20
  private static let length = 56

  /// Looks for a locator right before the end record at `offset`.
  static func read(before offset: Int64, in zip: ZipBytes) throws(ZipError) -> Zip64End {
    let locatorOffset = offset - Int64(locatorLength)
    guard locatorOffset >= 0 else { return .absent }
    let locator = try zip.bytes(at: locatorOffset, count: locatorLength)
    guard locator.count == locatorLength, locator.uint32(at: 0) == Signature.zip64Locator else {
      return .absent
    }

    let recordOffset = locator.uint64(at: 8)
    guard locator.uint32(at: 4) == 0, locator.uint32(at: 16) <= 1 else {
      return .unreadable(
        .multiDisk,
        "the zip64 locator at offset \(locatorOffset) speaks of disk \(locator.uint32(at: 4)) of \(locator.uint32(at: 16))"
      )
    }
    guard locatorOffset >= length, recordOffset <= UInt64(locatorOffset - Int64(length)) else {
      return .unreadable(
        .zip64Conflict,
        "the zip64 end record cannot be at offset \(recordOffset), its locator is at \(locatorOffset)")
    }
    let start = Int64(recordOffset)
    let record = try zip.bytes(at: start, count: length)
    guard record.count == length, record.uint32(at: 0) == Signature.zip64End else {
      return .unreadable(.zip64Conflict, "there is no zip64 end record at offset \(start)")
    }
    // APPNOTE 4.3.14.1: the size does not count the first 12 bytes.
    let size = record.uint64(at: 4)
    guard size >= UInt64(length - 12), size == UInt64(locatorOffset - start - 12) else {
      return .unreadable(
        .zip64Conflict,
        "the zip64 end record at offset \(start) has \(size) bytes and \(locatorOffset - start - 12) of room")
    }
    let fields = EndFields(
      disk: UInt64(record.uint32(at: 16)), directoryDisk: UInt64(record.uint32(at: 20)),
      countHere: record.uint64(at: 24), count: record.uint64(at: 32), size: record.uint64(at: 40),
      offset: record.uint64(at: 48))
    return .found(fields, start: start)
  }
}
