extension EntryHeaders {
  /// Takes apart what stands in a zip. `place` must be of its layout.
  init(_ place: ArchiveLayout.Place, in zip: ZipBytes) throws(IndexError) {
    try readCentral(place, zip)
    try readLocal(place, zip)
    form[.descriptor] = UInt32(place.descriptor)
    if place.gap > 0 {
      form[.gap] = 1
      gap = try Self.bytes(zip, at: place.offset - place.gap, Int(place.gap))
    }
  }

  private mutating func readCentral(_ place: ArchiveLayout.Place, _ zip: ZipBytes) throws(IndexError) {
    let fixed = try Self.bytes(zip, at: place.centralOffset, CentralHeader.length)
    let (nameLength, extraLength) = (Int(fixed.uint16(at: 28)), Int(fixed.uint16(at: 30)))
    let commentLength = Int(fixed.uint16(at: 32))
    let rest = try Self.bytes(
      zip, at: place.centralOffset + Int64(CentralHeader.length), nameLength + extraLength + commentLength)
    form[.versionMadeBy] = UInt32(fixed.uint16(at: 4))
    form[.versionNeeded] = UInt32(fixed.uint16(at: 6))
    form[.flags] = UInt32(fixed.uint16(at: 8))
    form[.method] = UInt32(fixed.uint16(at: 10))
    form[.diskStart] = UInt32(fixed.uint16(at: 34))
    form[.internalAttributes] = UInt32(fixed.uint16(at: 36))
    form[.externalAttributes] = fixed.uint32(at: 38)
    dosTime = fixed.uint32(at: 12)
    crc32 = place.crc32
    (size, compressedSize) = (UInt64(place.size), UInt64(place.compressedSize))
    offset = UInt64(place.offset)
    let ones: UInt32 = 0xFFFF_FFFF
    form[.wide] =
      (fixed.uint32(at: 24) == ones ? 1 : 0) | (fixed.uint32(at: 20) == ones ? 2 : 0)
      | (fixed.uint32(at: 42) == ones ? 4 : 0)
    name = Array(rest[..<nameLength])
    comment = Array(rest[(nameLength + extraLength)...])
    form[.comment] = comment.isEmpty ? 0 : 1
    let tail: Int
    (form.centralExtra, centralExtra, tail) = Self.fields(rest[nameLength..<nameLength + extraLength])
    form[.centralTail] = UInt32(tail)
  }

  private mutating func readLocal(_ place: ArchiveLayout.Place, _ zip: ZipBytes) throws(IndexError) {
    let all = try Self.bytes(zip, at: place.offset, Int(place.dataOffset - place.offset))
    form[.localVersion] = UInt32(all.uint16(at: 4)) ^ form[.versionNeeded]
    form[.localFlags] = UInt32(all.uint16(at: 6)) ^ form[.flags]
    form[.localMethod] = UInt32(all.uint16(at: 8)) ^ form[.method]
    localTime = all.uint32(at: 10)
    form[.localTime] = localTime == dosTime ? HeaderForm.LocalRule.same : HeaderForm.LocalRule.other
    let ones: UInt32 = 0xFFFF_FFFF
    localCRC = all.uint32(at: 14)
    form[.localCRC] = Self.rule(localCRC, crc32)
    localCompressedSize = all.uint32(at: 18)
    form[.localCompressedSize] = Self.rule(
      localCompressedSize, form[.wide] & 2 != 0 ? ones : UInt32(truncatingIfNeeded: compressedSize))
    localSize = all.uint32(at: 22)
    form[.localSize] = Self.rule(localSize, form[.wide] & 1 != 0 ? ones : UInt32(truncatingIfNeeded: size))
    let nameEnd = LocalHeader.length + Int(all.uint16(at: 26))
    localName = Array(all[LocalHeader.length..<nameEnd])
    form[.localName] = localName == name ? HeaderForm.LocalRule.same : HeaderForm.LocalRule.other
    let tail: Int
    (form.localExtra, localExtra, tail) = Self.fields(all[nameEnd...])
    form[.localTail] = UInt32(tail)
  }

  private static func rule(_ value: UInt32, _ expected: UInt32) -> UInt32 {
    switch value {
    case expected: HeaderForm.LocalRule.same
    case 0: HeaderForm.LocalRule.zero
    case 0xFFFF_FFFF: HeaderForm.LocalRule.ones
    default: HeaderForm.LocalRule.other
    }
  }

  /// APPNOTE 4.5.1: kind, length and content of each; what does not fit is the tail.
  private static func fields(_ bytes: ArraySlice<UInt8>) -> (shape: [UInt32], contents: [[UInt8]], tail: Int)
  {
    let bytes = Array(bytes)
    var shape: [UInt32] = []
    var contents: [[UInt8]] = []
    var index = 0
    while index + 4 <= bytes.count {
      let length = Int(bytes.uint16(at: index + 2))
      guard index + 4 + length <= bytes.count else { break }
      shape.append(UInt32(bytes.uint16(at: index)) << 16 | UInt32(length))
      contents.append(Array(bytes[index + 4..<index + 4 + length]))
      index += 4 + length
    }
    if index < bytes.count { contents.append(Array(bytes[index...])) }
    return (shape, contents, bytes.count - index)
  }

  private static func bytes(_ zip: ZipBytes, at offset: Int64, _ count: Int) throws(IndexError) -> [UInt8] {
    let bytes = try reading({ () throws(ZipError) in try zip.bytes(at: offset, count: count) })
    guard bytes.count == count else { throw .irregular("it ended while it was read, at offset \(offset)") }
    return bytes
  }
}
