/// Codes the contents of extra fields: those that are known by what they say, others by the last one of their kind.
struct FieldCoder {
  private enum Known {
    static let zip64: UInt32 = 0x0001
    static let timestamp: UInt32 = 0x5455
  }

  /// The last content of each kind; in the local header under a number of its own.
  private var last: [UInt32: [UInt8]] = [:]
  private static let local: UInt32 = 0x1_0000

  /// The fields of the directory's header; notes in `entry` where its offset has to be put.
  mutating func central<Coder>(
    _ wanted: [[UInt8]], _ entry: inout EntryHeaders, _ times: inout TimeCoder,
    with coder: inout IndexCoder<Coder>
  ) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var position = CentralHeader.length + entry.name.count
    for (index, field) in entry.form.centralExtra.enumerated() {
      let wish = index < wanted.count ? wanted[index] : []
      let (kind, count) = (field >> 16, Int(field & 0xFFFF))
      position += 4
      if kind == Known.zip64 {
        let (content, places) = zip64(wish, count: count, entry, third: entry.offset, with: &coder)
        entry.offsetPlaces += places.map { position + $0 }
        result.append(content)
      } else if kind == Known.timestamp, [5, 9, 13].contains(count) {
        result.append(times.timestamp(wish, count: count, twin: nil, with: &coder))
      } else {
        result.append(other(wish, kind, count: count, with: &coder))
      }
      position += count
    }
    let tail = Int(entry.form[.centralTail])
    if tail > 0 { result.append(other(wanted.last ?? [], 0x2_0000, count: tail, with: &coder)) }
    return result
  }

  /// The fields of the local header, once those of the directory's are known.
  mutating func local<Coder>(
    _ wanted: [[UInt8]], _ entry: EntryHeaders, _ times: inout TimeCoder, with coder: inout IndexCoder<Coder>
  ) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for (index, field) in entry.form.localExtra.enumerated() {
      let wish = index < wanted.count ? wanted[index] : []
      let (kind, count) = (field >> 16, Int(field & 0xFFFF))
      let twin = entry.form.centralExtra.firstIndex { $0 >> 16 == kind }.map { entry.centralExtra[$0] }
      if kind == Known.zip64 {
        // Not as the directory has it: there may be the offset in it.
        result.append(zip64(wish, count: count, entry, third: 0, with: &coder).content)
      } else if let twin, twin.count == count, coder.flag(wish == twin, .sameContent, kind | 0x8_0000) {
        result.append(twin)
      } else if kind == Known.timestamp, [5, 9, 13].contains(count) {
        result.append(times.timestamp(wish, count: count, twin: twin, with: &coder))
      } else {
        result.append(other(wish, kind | Self.local, count: count, with: &coder))
      }
    }
    let tail = Int(entry.form[.localTail])
    if tail > 0 { result.append(other(wanted.last ?? [], 0x3_0000, count: tail, with: &coder)) }
    return result
  }

  /// APPNOTE 4.5.3: numbers of eight bytes that are nearly always known; where one is the offset, its place is told.
  private mutating func zip64<Coder>(
    _ wanted: [UInt8], count: Int, _ entry: EntryHeaders, third: UInt64, with coder: inout IndexCoder<Coder>
  ) -> (content: [UInt8], offsetPlaces: [Int]) {
    var result: [UInt8] = []
    var places: [Int] = []
    for index in 0..<count / 8 {
      let value = wanted.count == count ? wanted.uint64(at: index * 8) : 0
      let wish = [entry.size, entry.compressedSize, third].firstIndex(of: value) ?? 3
      switch coder.symbol(wish, bits: 2, .fieldByte, [1, UInt32(index) << 8 | 1]) {
      case 0: result.put(entry.size)
      case 1: result.put(entry.compressedSize)
      case 2:
        places.append(result.count)
        result.put(third)
      default: result.put(coder.bits(value, count: 64))
      }
    }
    let rest = coder.text(Array(wanted.dropFirst(result.count)), count: count - result.count)
    return (result + rest, places)
  }

  private mutating func other<Coder>(
    _ wanted: [UInt8], _ kind: UInt32, count: Int, with coder: inout IndexCoder<Coder>
  ) -> [UInt8] {
    let before = last[kind] ?? []
    if before.count == count, coder.flag(wanted == before, .sameContent, kind) { return before }
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var isLikeLast = true
    for index in 0..<count {
      let guess: UInt32 = index < before.count ? UInt32(before[index]) + 1 : 0
      let place = (kind << 8 ^ UInt32(min(index, 255))) &* 0x0100_0193
      let byte = UInt8(
        coder.symbol(
          index < wanted.count ? Int(wanted[index]) : 0, bits: 8, .fieldByte,
          [place, place &+ guess << 1 &+ (isLikeLast ? 1 : 0), place &+ UInt32(result.last ?? 0) << 16]))
      isLikeLast = isLikeLast && UInt32(byte) + 1 == guess
      result.append(byte)
    }
    // Few kinds come up; a hostile index may have many, and need not be remembered.
    if last.count < 64 || last[kind] != nil { last[kind] = result }
    return result
  }
}
