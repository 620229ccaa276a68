import TestSupport
import ZipArchive

/// Zips that are small and mean to be large (after David Fifield's "A better zip bomb").
enum Bomb {
  /// Many entries over one kernel of data.
  static func fullOverlap(entries count: Int, kernel size: Int) -> [UInt8] {
    let kernel = ZipEntry("0", .repeating(0, count: size))
    return ZipBuilder(
      (0..<count).map { index in
        kernel.with {
          $0.name = Array("\(index)".utf8)
          $0.localName = Array("0".utf8)
          $0.hasLocalRecord = index == 0
          $0.headerOffset = 0
        }
      }
    ).build()
  }

  /// Each entry's stored block quotes the local header of the next, and shares its kernel.
  static func quoted(entries count: Int, kernel size: Int = 100_000) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: size)
    var data = Deflater.deflate(zeros) ?? []
    var plain = zeros
    var records: [(entry: ZipEntry, bytes: [UInt8])] = []
    var body: [UInt8] = []
    for index in (0..<count).reversed() {
      var entry = ZipEntry("\(index)")
      entry.payload = data
      (entry.method, entry.compressedSize, entry.size) = (8, data.count, plain.count)
      entry.crc32 = CRC32.value(of: plain)
      let header = Array(ZipBuilder([entry]).build().prefix(30 + entry.name.count))
      body = header + data
      records.append((entry, header))
      // RFC 1951 §3.2.4: a stored block, not the last, that holds the header.
      let block = [0] + LittleEndian.bytes(header.count, 2) + LittleEndian.bytes(~header.count, 2)
      data = block + header + data
      plain = header + plain
    }
    var offset = 0
    var entries: [ZipEntry] = []
    for (entry, header) in records.reversed() {
      entries.append(
        entry.with {
          $0.hasLocalRecord = false
          $0.headerOffset = offset
        })
      offset += header.count + 5
    }
    entries[0].bytesBefore = body
    return ZipBuilder(entries).build()
  }
}
