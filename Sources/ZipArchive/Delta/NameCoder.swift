/// Names of entries, coded one after the other: each begins in the folder of the last one or above it, and goes on as names
/// before it did.
struct NameCoder {
  /// The name that was coded last.
  private(set) var name: [UInt8] = []
  /// Bytes of `name` up to its last slash.
  private(set) var folderEnd = 0

  private var history = NameHistory()
  private var leftBefore = 0

  private static let slash = UInt8(ascii: "/")

  /// Codes a name of at most `limit` bytes.
  mutating func code<Coder>(
    _ wanted: [UInt8], limit: Int, with coder: inout IndexCoder<Coder>
  ) throws(IndexError) -> [UInt8] {
    // A name with a 0 in it, which ends the others.
    if coder.flag(wanted.contains(0), .rawName) {
      let count = Int(clamping: coder.number(UInt64(wanted.count), .length, 1))
      guard count <= limit else { throw .damaged("a name of \(count) bytes where \(limit) are left") }
      name = coder.text(wanted, count: count)
    } else {
      let last = name
      let shared = try codeFolders(wanted, with: &coder)
      name.removeLast(name.count - shared)
      for byte in name { history.append(byte) }
      try codeRest(wanted, after: last, limit: limit, with: &coder)
    }
    folderEnd = (name.lastIndex(of: Self.slash) ?? -1) + 1
    return name
  }

  /// How much of the last name's folder is the beginning of this one.
  private mutating func codeFolders<Coder>(
    _ wanted: [UInt8], with coder: inout IndexCoder<Coder>
  ) throws(IndexError) -> Int {
    var ends = [0]
    for index in 0..<folderEnd where name[index] == Self.slash { ends.append(index + 1) }
    let depth = ends.count - 1
    let shared =
      ends.lastIndex { $0 <= wanted.count && wanted[..<$0].elementsEqual(name[..<$0]) } ?? 0
    let context = UInt32(min(depth, 255))
    let left = coder.number(
      UInt64(depth - shared), .foldersLeft, context << 8 | UInt32(min(leftBefore, 255)),
      hash(name[..<folderEnd]))
    guard left <= UInt64(depth) else { throw .damaged("a name leaves \(left) folders of \(depth)") }
    leftBefore = Int(left)
    return ends[depth - leftBefore]
  }

  private mutating func codeRest<Coder>(
    _ wanted: [UInt8], after last: [UInt8], limit: Int, with coder: inout IndexCoder<Coder>
  ) throws(IndexError) {
    let start = name.count
    var whole = hash(name[...])
    var part: UInt32 = 0
    var word: UInt32 = 0
    var isLikeLast = true
    while true {
      let place = name.count
      let aligned = folderEnd + place - start
      let expected: UInt32 = aligned < last.count ? UInt32(last[aligned]) : 0
      let repeated: UInt32 =
        history.matched > 0 ? UInt32(history.guess) << 8 | UInt32(min(history.matched, 20)) : 0
      let recent = history.recent
      let byte = UInt8(
        coder.symbol(
          place < wanted.count ? Int(wanted[place]) : 0, bits: 8, .nameByte,
          [
            UInt32(truncatingIfNeeded: recent & 0xFF),
            UInt32(truncatingIfNeeded: recent & 0xFFFF),
            UInt32(truncatingIfNeeded: recent & 0xFF_FFFF),
            UInt32(truncatingIfNeeded: recent),
            UInt32(truncatingIfNeeded: (recent & 0xFFFF_FFFF_FFFF) &* 0x9E37_79B9_7F4A_7C15 >> 32),
            part, word, whole,
            expected << 1 | (isLikeLast ? 1 : 0) | UInt32(min(place - start, 31)) << 9,
            repeated,
          ]))
      history.append(byte)
      if byte == 0 { break }
      guard place < limit else { throw .damaged("names are longer than declared") }
      name.append(byte)
      isLikeLast = isLikeLast && UInt32(byte) == expected
      whole = (whole ^ UInt32(byte)) &* 0x0100_0193
      part = byte == Self.slash ? 0 : (part &+ UInt32(byte) &+ 1) &* 0x0100_0193
      word =
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
        ? (word &+ UInt32(byte | 0x20)) &* 0x0100_01B3 : UInt32(byte) << 24
    }
  }

  /// The extension of the last name, as a number that stands for it.
  var kind: UInt32 {
    if name.last == Self.slash { return 1 }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot >= folderEnd, name.count - dot <= 6 else {
      return 2
    }
    return hash(name[dot...]) | 4
  }

  /// The folder of the last name, as a number that stands for it.
  var folder: UInt32 { hash(name[..<folderEnd]) }

  private func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
