/// The end of central directory record, with its zip64 form resolved (APPNOTE 4.3.14–4.3.16).
struct EndRecord {
  private static let length = 22
  private static let longestComment = 0xFFFF
  /// What bsdtar fills up to when it writes to a pipe; `-b` changes how many of them, not their size.
  private static let blockSize: Int64 = 512

  /// Entries, as announced.
  let entryCount: UInt64
  /// Of the central directory, from the start of the file.
  let directoryOffset: Int64
  let directorySize: Int64
  /// Where the end records begin: the zip64 one, else the plain one.
  let start: Int64
  /// Of the archive's comment, from the start of the file.
  var commentOffset: Int64 = 0
  /// Bytes of the archive's comment.
  var commentLength = 0

  var directoryEnd: Int64 { directoryOffset + directorySize }

  /// Finds the one end record. Nil after a finding that leaves nothing to go on with.
  static func find(in zip: ZipBytes, _ findings: inout FindingList) throws(ZipError) -> EndRecord? {
    guard let offset = try locate(in: zip, &findings) else { return nil }
    return try read(at: offset, in: zip, &findings)
  }

  /// Tools look for the end record in different ways (last signature, last one that fits, first one that fits); only where all
  /// must come to the same one is the archive the same for all.
  private static func locate(in zip: ZipBytes, _ findings: inout FindingList) throws(ZipError) -> Int64? {
    let tailStart = max(0, zip.size - Int64(length + longestComment))
    let tail = try zip.bytes(at: tailStart, count: length + longestComment)
    let candidates = positions(of: Signature.end, in: tail).filter { $0 + length <= tail.count }
    let ends = candidates.map { $0 + length + Int(tail.uint16(at: $0 + 20)) }
    let fitting = zip2(candidates, ends).filter { $0.end == tail.count }.map(\.start)

    if let last = fitting.last {
      if fitting.count > 1 {
        let places = fitting.map { "\(tailStart + Int64($0))" }.joined(separator: ", ")
        findings.add(.severalEnds, "end records at offsets \(places) all reach the end of the file")
        return nil
      }
      if let later = candidates.last, later > last {
        findings.add(
          .severalEnds,
          "the comment of the end record at offset \(tailStart + Int64(last)) holds another one's signature at \(tailStart + Int64(later))"
        )
      }
      return tailStart + Int64(last)
    }
    if let found = zip2(candidates, ends).last(where: { $0.end < tail.count }) {
      let end = tailStart + Int64(found.end)
      let isPadding =
        candidates.count == 1 && zip.size % blockSize == 0 && tail[found.end...].allSatisfy { $0 == 0 }
      findings.add(
        .trailingData, severity: isPadding ? .warning : nil,
        "the archive ends at offset \(end), the file at \(zip.size)"
          + (isPadding
            ? ": zeros fill it up to whole blocks of \(blockSize) bytes, as bsdtar does in a pipe" : ""))
      return tailStart + Int64(found.start)
    }
    if let last = candidates.last {
      let end = tailStart + Int64(last + length) + Int64(tail.uint16(at: last + 20))
      findings.add(.truncated, "the comment should end at offset \(end), the file ends at \(zip.size)")
    } else if try looksLikeAZip(zip) {
      findings.add(.truncated, "there is no end record in the last bytes of the file's \(zip.size)")
    } else {
      findings.add(.notAZip, "neither a zip's first bytes nor its end record are there")
    }
    return nil
  }

  /// It begins like a zip, as far as it goes.
  private static func looksLikeAZip(_ zip: ZipBytes) throws(ZipError) -> Bool {
    let head = try zip.bytes(at: 0, count: 4)
    guard head.count >= 2 else { return false }
    return [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6], [0x50, 0x4B, 7, 8]].contains { $0.starts(with: head) }
  }

  private static func read(
    at offset: Int64, in zip: ZipBytes, _ findings: inout FindingList
  ) throws(ZipError) -> EndRecord? {
    let record = try zip.bytes(at: offset, count: length)
    guard record.count == length else {
      findings.add(.truncated, "the end record at offset \(offset) is cut off")
      return nil
    }
    let fields = EndFields(
      disk: UInt64(record.uint16(at: 4)), directoryDisk: UInt64(record.uint16(at: 6)),
      countHere: UInt64(record.uint16(at: 8)), count: UInt64(record.uint16(at: 10)),
      size: UInt64(record.uint32(at: 12)), offset: UInt64(record.uint32(at: 16)))
    var resolved = fields
    var start = offset
    switch try Zip64End.read(before: offset, in: zip) {
    case .absent:
      if fields.size == 0xFFFF_FFFF || fields.offset == 0xFFFF_FFFF {
        findings.add(
          .zip64Conflict, "the end record at offset \(offset) announces a zip64 one that is not there")
        return nil
      }
    case .unreadable(let rule, let why):
      findings.add(rule, why)
      return nil
    case .found(let wide, let wideStart):
      for (name, narrow, value) in fields.conflicts(with: wide) {
        findings.add(.zip64Conflict, "\(name) is \(narrow) in the end record and \(value) in the zip64 one")
      }
      resolved = wide
      start = wideStart
    }
    var end = try resolved.checked(start: start, in: zip, &findings)
    end?.commentOffset = offset + Int64(length)
    end?.commentLength = Int(record.uint16(at: 20))
    return end
  }

  /// Offsets of a signature.
  static func positions(of signature: UInt32, in bytes: [UInt8]) -> [Int] {
    var found: [Int] = []
    var index = 0
    while index + 4 <= bytes.count {
      if bytes[index] == 0x50, bytes.uint32(at: index) == signature { found.append(index) }
      index += 1
    }
    return found
  }

  private static func zip2(_ starts: [Int], _ ends: [Int]) -> [(start: Int, end: Int)] {
    zip(starts, ends).map { (start: $0, end: $1) }
  }
}

/// The fields both forms of the end record have.
struct EndFields {
  var disk: UInt64
  var directoryDisk: UInt64
  var countHere: UInt64
  var count: UInt64
  var size: UInt64
  var offset: UInt64

  /// APPNOTE 4.4.1.4: a field that is not all ones must say the same as its zip64 form.
  func conflicts(with wide: EndFields) -> [(name: String, narrow: UInt64, wide: UInt64)] {
    [
      ("the disk number", disk, wide.disk, 0xFFFF),
      ("the directory's disk number", directoryDisk, wide.directoryDisk, 0xFFFF),
      ("the count of entries on this disk", countHere, wide.countHere, 0xFFFF),
      ("the count of entries", count, wide.count, 0xFFFF),
      ("the directory's size", size, wide.size, 0xFFFF_FFFF),
      ("the directory's offset", offset, wide.offset, 0xFFFF_FFFF),
    ].filter { $0.1 != $0.3 && $0.1 != $0.2 }.map { ($0.0, $0.1, $0.2) }
  }

  /// The record they stand in, when the directory they name can be there.
  func checked(start: Int64, in zip: ZipBytes, _ findings: inout FindingList) throws(ZipError) -> EndRecord? {
    guard disk == 0, directoryDisk == 0 else {
      findings.add(
        .multiDisk,
        "this is disk \(disk + 1) of an archive whose directory begins on disk \(directoryDisk + 1)")
      return nil
    }
    if countHere != count {
      findings.add(.countMismatch, "\(countHere) entries on this disk and \(count) in all, on one disk")
    }
    let room = UInt64(start)
    guard size <= room, offset <= room, size + offset <= room else {
      findings.add(
        .directoryOffset,
        "a directory of \(size) bytes at offset \(offset) does not end before the end record at \(start)")
      return nil
    }
    let record = EndRecord(
      entryCount: count, directoryOffset: Int64(offset), directorySize: Int64(size), start: start)
    guard size > 0 else { return record }
    if try zip.signature(at: record.directoryOffset) == Signature.centralHeader { return record }
    // A stub that was put in front moves all by its length; the recorded offsets do not know.
    let adjacent = start - record.directorySize
    let shift = adjacent - record.directoryOffset
    if shift > 0, try zip.signature(at: adjacent) == Signature.centralHeader,
      try zip.signature(at: shift) == Signature.localHeader
    {
      findings.add(
        .prefixData,
        "the directory should be at offset \(offset) and is at \(adjacent): \(shift) bytes stand before the zip"
      )
    } else {
      findings.add(.directoryOffset, "there is no directory at offset \(offset)")
    }
    return nil
  }
}
