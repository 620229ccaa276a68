/// What an index holds once it is read.
struct IndexParts: Sendable {
  /// One entry, in the order of the directory.
  struct Row: Sendable {
    let crc32: UInt32
    let payloadCRC: UInt32
    let isEncrypted: Bool
    let isFolder: Bool
    let hasWideOffset: Bool
    /// Of the descriptor, in bytes.
    let after: UInt8
    /// In `headers`: the gap and the local header, then the descriptor.
    let start: UInt32
    let before: UInt32
    /// Of `before`, what is no header.
    let gap: UInt32
    /// In `directory`, its header.
    let central: UInt32
    let size: Int64
    let compressedSize: Int64

    func payload(at offset: Int64) -> PackagePayload {
      PackagePayload(
        crc32: crc32, compressedSize: compressedSize, size: size, offset: offset,
        encryptedCRC32: isEncrypted ? payloadCRC : nil)
    }
  }

  /// Of each entry what stands before and behind its payload, in the order of the directory.
  var headers: [UInt8] = []
  /// From the last entry to the end of the file.
  var directory: [UInt8] = []
  var rows: [Row] = []
  /// `rows` in the order of the file.
  var order: [UInt32] = []
  /// Where in `directory` a zip64 field has the offset of a row.
  private var widePlaces: [(row: UInt32, place: UInt32)] = []
  /// Of the directory, from the start of the file.
  private(set) var directoryOffset: Int64 = 0

  var size: Int { headers.count + directory.count }

  /// Adds an entry behind the others in the directory.
  mutating func append(_ entry: EntryHeaders) {
    let (start, central) = (headers.count, directory.count)
    entry.appendLocal(to: &headers)
    let before = headers.count - start
    entry.appendDescriptor(to: &headers)
    entry.appendCentral(to: &directory)
    for place in entry.offsetPlaces { widePlaces.append((UInt32(rows.count), UInt32(central + place))) }
    rows.append(
      Row(
        crc32: entry.crc32, payloadCRC: entry.payloadCRC, isEncrypted: entry.form.isEncrypted,
        isFolder: entry.name.last == UInt8(ascii: "/"), hasWideOffset: entry.form[.wide] & 4 != 0,
        after: UInt8(headers.count - start - before), start: UInt32(start), before: UInt32(before),
        gap: UInt32(entry.gap.count), central: UInt32(central), size: Int64(entry.size),
        compressedSize: Int64(entry.compressedSize)))
  }

  /// Puts the offsets of all local headers where the directory has them, once `order` is known.
  mutating func placeOffsets(directoryGap: Int) throws(IndexError) {
    var offset: Int64 = 0
    var offsets = [Int64](repeating: 0, count: widePlaces.isEmpty ? 0 : rows.count)
    for index in order {
      let row = rows[Int(index)]
      let header = offset + Int64(row.gap)
      if !offsets.isEmpty { offsets[Int(index)] = header }
      if !row.hasWideOffset {
        guard let narrow = UInt32(exactly: header) else {
          throw .damaged("the header at offset \(header) is beyond what its entry can tell")
        }
        put(UInt64(narrow), 4, at: Int(row.central) + 42)
      }
      offset += Int64(row.before) + row.compressedSize + Int64(row.after)
      guard offset <= Int64.max >> 8 else { throw .damaged("a package of more than \(Int64.max >> 8) bytes") }
    }
    for (row, place) in widePlaces { put(UInt64(offsets[Int(row)]), 8, at: Int(place)) }
    directoryOffset = offset + Int64(directoryGap)
  }

  private mutating func put(_ value: UInt64, _ width: Int, at place: Int) {
    for index in 0..<width {
      directory[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(index * 8))
    }
  }
}
