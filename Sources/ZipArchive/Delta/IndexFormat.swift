/// The bytes of an index, version 1.
///
/// `GDI` 0x01, the number of entries and the bytes of the skeleton (LEB128 each), then one arithmetically coded stream
/// (`RangeEncoder`), of which each bit was foretold by `ContextMixer`, without padding: zeros at its end are left out. In it,
/// in this order:
///
/// 1. whether the entries lie in the file as the directory has them;
/// 2. the bytes between the last entry and the directory;
/// 3. each entry, in the order of the directory (`EntryCoder`): name, form of the headers, compressed size, size and CRC-32 or
///    which earlier entry has the same, CRC-32 of the payload if it is encrypted, extra fields, times, and of the local
///    header what the form says does not follow from the directory's (`EntryHeaders`);
/// 4. unless 1. says so, the rank of each entry in the file, as the distance from the rank after that of the one before;
/// 5. what stands behind the directory, as it differs from the end record that is to be expected (`expectedEnd`).
///
/// The same package gives the same bytes. Whatever an index leaves out follows from what it says: lengths, offsets,
/// signatures, descriptors.
enum IndexFormat {
  private static let magic: [UInt8] = [0x47, 0x44, 0x49]
  private static let version: UInt8 = 1

  /// What `bytes` say.
  static func read(_ bytes: [UInt8], limits: IndexLimits) throws(IndexError) -> IndexParts {
    guard bytes.starts(with: magic), bytes.count > magic.count else { throw .notAnIndex }
    guard bytes[magic.count] == version else { throw .unknownVersion(bytes[magic.count]) }
    var position = magic.count + 1
    let entries = try size(bytes, &position, of: "entries", limit: Int64(limits.entries))
    let skeleton = try size(bytes, &position, of: "bytes of headers", limit: limits.skeletonSize)
    guard skeleton / (CentralHeader.length + LocalHeader.length) >= entries else {
      throw .damaged("\(entries) entries in \(skeleton) bytes of headers")
    }
    var coder = IndexCoder(RangeDecoder(bytes, from: position), bytes: skeleton)
    let parts = try code(entries: entries, size: skeleton, with: &coder) { _ throws(IndexError) in
      EntryHeaders()
    }
    guard coder.coder.unread == 0 else { throw .damaged("\(coder.coder.unread) bytes behind its end") }
    guard parts.size == skeleton else {
      throw .damaged("\(parts.size) bytes of headers, \(skeleton) are announced")
    }
    return parts
  }

  private static func size(
    _ bytes: [UInt8], _ position: inout Int, of what: String, limit: Int64
  ) throws(IndexError) -> Int {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 63, by: 7) {
      guard position < bytes.count else { throw .truncated(entry: 0) }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else {
        let allowed = UInt64(min(max(0, limit), Int64(UInt32.max)))
        guard value <= allowed else { throw .overLimit(what: what, asked: value, allowed: allowed) }
        return Int(value)
      }
    }
    throw .damaged("a number of more than 63 bits")
  }

  /// The bytes for a package that `source` gives the headers of, entry by entry.
  static func write(
    entries: Int, size: Int, source: IndexSource
  ) throws(IndexError) -> [UInt8] {
    var head = magic + [version]
    for var value in [UInt64(entries), UInt64(size)] {
      while value >= 0x80 {
        head.append(UInt8(value & 0x7F) | 0x80)
        value >>= 7
      }
      head.append(UInt8(value))
    }
    var coder = IndexCoder(RangeEncoder(head), bytes: size)
    _ = try code(
      entries: entries, size: size, wanted: source, with: &coder
    ) { index throws(IndexError) in try source.headers(of: index) }
    return coder.coder.finish()
  }

  /// Both directions in one: `wanted` and `headers` tell the encoder what to code, and are empty for the decoder.
  private static func code<Coder>(
    entries: Int, size: Int, wanted: IndexSource = IndexSource(), with coder: inout IndexCoder<Coder>,
    headers: (Int) throws(IndexError) -> EntryHeaders
  ) throws(IndexError) -> IndexParts {
    var parts = IndexParts()
    // Memory that is not written to is not taken.
    parts.headers.reserveCapacity(size)
    parts.directory.reserveCapacity(size)
    parts.rows.reserveCapacity(entries)
    let isInOrder = coder.flag(wanted.isInOrder, .inOrder)
    parts.directory = try coder.text(wanted.directoryGap, atMost: size)
    let gap = parts.directory.count
    var coded = EntryCoder(entries: entries)
    for index in 0..<entries {
      let entry = try coded.code(try headers(index), limit: size - parts.size, with: &coder)
      parts.append(entry)
      guard parts.size <= size else { throw .damaged("more than the \(size) bytes of headers announced") }
      guard !coder.coder.isExhausted else { throw .truncated(entry: index) }
    }
    parts.order = try order(entries, isInOrder: isInOrder, wanted.ranks, with: &coder)
    try parts.placeOffsets(directoryGap: gap)
    let expected = expectedEnd(
      entries: entries, directorySize: UInt64(parts.directory.count - gap),
      directoryOffset: UInt64(parts.directoryOffset), isWide: coder.flag(wanted.hasWideEnd, .expectedEnd))
    parts.directory += try coder.text(
      wanted.end, atMost: size - parts.size, like: expected)
    guard !coder.coder.isExhausted else { throw .truncated(entry: entries) }
    return parts
  }

  private static func order<Coder>(
    _ count: Int, isInOrder: Bool, _ ranks: [UInt32], with coder: inout IndexCoder<Coder>
  ) throws(IndexError) -> [UInt32] {
    guard !isInOrder else { return Array(0..<UInt32(count)) }
    let free = UInt32.max
    var order = [UInt32](repeating: free, count: count)
    var expected: Int64 = 0
    for index in 0..<count {
      let wish = index < ranks.count ? Int64(ranks[index]) : 0
      let (rank, overflows) = expected.addingReportingOverflow(coder.difference(wish - expected, .rank))
      guard !overflows, rank >= 0, rank < Int64(count), order[Int(rank)] == free else {
        throw .damaged("entry \(index) cannot have place \(rank) in the file")
      }
      order[Int(rank)] = UInt32(index)
      expected = rank + 1
    }
    return order
  }

  /// What most writers put behind a directory (APPNOTE 4.3.14–4.3.16): with `isWide` for zip64, with the true values in the
  /// zip64 record alone.
  private static func expectedEnd(
    entries: Int, directorySize: UInt64, directoryOffset: UInt64, isWide: Bool
  ) -> [UInt8] {
    var end: [UInt8] = []
    if isWide {
      end.put(Signature.zip64End)
      end.put(UInt64(44))
      end.put(UInt16(45))
      end.put(UInt16(45))
      end.put(UInt64(0))
      end.put(UInt64(entries))
      end.put(UInt64(entries))
      end.put(directorySize)
      end.put(directoryOffset)
      end.put(Signature.zip64Locator)
      end.put(UInt32(0))
      end.put(directoryOffset &+ directorySize)
      end.put(UInt32(1))
    }
    let isSaturated = isWide || entries >= 0xFFFF
    end.put(Signature.end)
    end.put(UInt32(0))
    end.put(isSaturated ? 0xFFFF : UInt16(entries))
    end.put(isSaturated ? 0xFFFF : UInt16(entries))
    end.put(isWide ? 0xFFFF_FFFF : UInt32(clamping: directorySize))
    end.put(isWide ? 0xFFFF_FFFF : UInt32(clamping: directoryOffset))
    end.put(UInt16(0))
    return end
  }
}
