/// The central directory of an archive being written, and the records that end the archive.
struct WrittenDirectory {
  /// Central headers, one after the other.
  private(set) var headers: [UInt8]
  private(set) var entryCount: UInt64
  /// The archive's comment.
  let comment: [UInt8]

  /// With the headers and the comment of an archive that goes on.
  init(headers: [UInt8] = [], entryCount: UInt64 = 0, comment: [UInt8] = []) {
    self.headers = headers
    self.entryCount = entryCount
    self.comment = comment
  }

  mutating func add(_ entry: WrittenEntry) {
    headers += entry.centralHeader
    entryCount += 1
  }

  /// What stands behind a directory that begins at `offset`.
  func end(directoryAt offset: Int64) -> [UInt8] {
    let (start, size) = (UInt64(offset), UInt64(headers.count))
    var bytes: [UInt8] = []
    // APPNOTE 4.4.1.4: needed when a field of the plain record is too small, and not written otherwise.
    if entryCount > 0xFFFF || size >= WrittenEntry.full || start >= WrittenEntry.full {
      // APPNOTE 4.3.14: 44 bytes follow the size; made by Unix and needed is 4.5; disks 0 and 0.
      bytes.put(Signature.zip64End)
      bytes.put(UInt64(44))
      bytes.put(UInt16(3 << 8 | 45))
      bytes.put(UInt16(45))
      bytes.put(UInt64(0))
      bytes.put(entryCount)
      bytes.put(entryCount)
      bytes.put(size)
      bytes.put(start)
      // APPNOTE 4.3.15.
      bytes.put(Signature.zip64Locator)
      bytes.put(UInt32(0))
      bytes.put(start + size)
      bytes.put(UInt32(1))
    }
    // APPNOTE 4.3.16.
    bytes.put(Signature.end)
    bytes.put(UInt32(0))
    bytes.put(UInt16(clamping: entryCount))
    bytes.put(UInt16(clamping: entryCount))
    bytes.put(UInt32(clamping: size))
    bytes.put(UInt32(clamping: start))
    bytes.put(UInt16(comment.count))
    return bytes + comment
  }
}
