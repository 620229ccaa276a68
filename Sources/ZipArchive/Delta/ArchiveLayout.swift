internal import Platform

/// Where each entry of a zip lies, and what lies between them: read from the directory and the local headers, judged by no rule
/// but that it must be clear which bytes are payload.
struct ArchiveLayout {
  /// One entry, in the order of the directory.
  struct Place {
    /// Of its header in the directory.
    let centralOffset: Int64
    let crc32: UInt32
    let flags: UInt16
    let isFolder: Bool
    let size: Int64
    let compressedSize: Int64
    let offset: Int64
    var dataOffset: Int64 = 0
    /// One of `DataDescriptor.forms`, counted from 1; 0 for none.
    var descriptor = 0
    /// Bytes before the local header that are no other entry's.
    var gap: Int64 = 0

    var isEncrypted: Bool { flags & 1 != 0 }
  }

  private(set) var places: [Place] = []
  /// `places` in the order of the file.
  private(set) var order: [Int] = []
  private(set) var end: EndRecord
  /// Bytes between the last entry and the directory.
  private(set) var directoryGap: Int64 = 0

  init(_ zip: ZipBytes, limits: IndexLimits) throws(IndexError) {
    var findings = FindingList()
    guard let end = try reading({ () throws(ZipError) in try EndRecord.find(in: zip, &findings) }) else {
      throw .irregular(findings.all.first?.detail ?? "it has no end record")
    }
    self.end = end
    guard end.directorySize <= limits.skeletonSize else {
      throw .overLimit(
        what: "bytes of directory", asked: UInt64(end.directorySize),
        allowed: UInt64(max(0, limits.skeletonSize)))
    }
    guard end.entryCount <= UInt64(max(0, limits.entries)) else {
      throw .overLimit(what: "entries", asked: end.entryCount, allowed: UInt64(max(0, limits.entries)))
    }
    try readDirectory(zip)
    order = places.indices.sorted { places[$0].offset < places[$1].offset }
    try readLocalHeaders(zip)
  }

  private mutating func readDirectory(_ zip: ZipBytes) throws(IndexError) {
    var cursor = ZipCursor(zip, from: end.directoryOffset, to: end.directoryEnd)
    places.reserveCapacity(Int(end.entryCount))
    while cursor.remaining > 0 {
      guard UInt64(places.count) < end.entryCount,
        let header = try reading({ () throws(ZipError) in try CentralHeader.next(&cursor) })
      else { throw .irregular("\(cursor.remaining) bytes of the directory are not the entries it announces") }
      let limit = UInt64(Int64.max >> 16)
      guard header.extra.repeated == nil, let sizes = header.sizes.resolved(by: header.extra.zip64),
        let offset = sizes.offset, sizes.size <= limit, sizes.compressedSize <= limit, offset <= limit
      else { throw .irregular("the sizes of entry \(places.count) are not clear") }
      places.append(
        Place(
          centralOffset: header.offset, crc32: header.crc32, flags: header.flags,
          isFolder: header.name.last == UInt8(ascii: "/"), size: Int64(sizes.size),
          compressedSize: Int64(sizes.compressedSize), offset: Int64(offset)))
    }
    guard UInt64(places.count) == end.entryCount else {
      throw .irregular("the directory has \(places.count) entries, \(end.entryCount) are announced")
    }
  }

  private mutating func readLocalHeaders(_ zip: ZipBytes) throws(IndexError) {
    var position: Int64 = 0
    for (rank, index) in order.enumerated() {
      let place = places[index]
      let next = rank + 1 < order.count ? places[order[rank + 1]].offset : end.directoryOffset
      guard place.offset >= position, place.offset <= next - Int64(LocalHeader.length),
        case let fixed = try reading({ () throws(ZipError) in
          try zip.bytes(at: place.offset, count: LocalHeader.length)
        }), fixed.count == LocalHeader.length, fixed.uint32(at: 0) == Signature.localHeader
      else { throw .irregular("entry \(index) has no header of its own at offset \(place.offset)") }
      let data =
        place.offset + Int64(LocalHeader.length) + Int64(fixed.uint16(at: 26)) + Int64(fixed.uint16(at: 28))
      var after = data + place.compressedSize
      guard after <= next else { throw .irregular("entry \(index) reaches into what follows it") }
      places[index].gap = place.offset - position
      places[index].dataOffset = data
      if fixed.uint16(at: 6) & 8 != 0 {
        let found = try reading({ () throws(ZipError) in
          try zip.bytes(at: after, count: Int(min(24, next - after)))
        })
        let forms = DataDescriptor.forms(
          crc32: place.crc32, compressedSize: UInt64(place.compressedSize), size: UInt64(place.size))
        // Where two agree, the longer: the shorter would leave bytes that nobody owns.
        let fitting = forms.indices.filter { found.starts(with: forms[$0]) }
        if let longest = fitting.max(by: { forms[$0].count < forms[$1].count }) {
          places[index].descriptor = longest + 1
          after += Int64(forms[longest].count)
        }
      }
      position = after
    }
    guard position <= end.directoryOffset, end.directoryEnd <= end.start else {
      throw .irregular("the directory lies within the entries")
    }
    directoryGap = end.directoryOffset - position
  }
}

/// What reading the zip tells, as this room's error.
func reading<Value>(_ body: () throws(ZipError) -> Value) throws(IndexError) -> Value {
  do throws(ZipError) { return try body() } catch {
    if case .system(let failure) = error { throw .system(failure) }
    throw .irregular(error.description)
  }
}
