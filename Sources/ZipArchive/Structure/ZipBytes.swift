internal import Platform

/// The bytes of the zip, read where they are needed.
struct ZipBytes {
  let file: File
  /// Bytes in the file when reading began.
  let size: Int64

  init(_ file: File) throws(ZipError) {
    self.file = file
    do throws(SystemError) { size = try file.size } catch { throw .system(error) }
  }

  /// At most `count` bytes at `offset`, fewer where the file ends.
  func bytes(at offset: Int64, count: Int) throws(ZipError) -> [UInt8] {
    guard offset >= 0, offset < size else { return [] }
    let count = Int(min(Int64(count), size - offset))
    do throws(SystemError) { return try file.bytes(at: offset, count: count) } catch { throw .system(error) }
  }

  /// The signature (APPNOTE 4.3.6) at `offset`; nil where the file ends.
  func signature(at offset: Int64) throws(ZipError) -> UInt32? {
    let found = try bytes(at: offset, count: 4)
    return found.count == 4 ? found.uint32(at: 0) : nil
  }
}

/// What records begin with.
enum Signature {
  static let localHeader: UInt32 = 0x0403_4B50
  static let centralHeader: UInt32 = 0x0201_4B50
  static let descriptor: UInt32 = 0x0807_4B50
  static let end: UInt32 = 0x0605_4B50
  static let zip64End: UInt32 = 0x0606_4B50
  static let zip64Locator: UInt32 = 0x0706_4B50

  /// APPNOTE 8.5.4, 8.5.5: what the first part of a split zip begins with; a zip that came out in one part has the second
  /// one, or, of Info-ZIP, still the first.
  static let segmentMarkers: [UInt32?] = [0x0807_4B50, 0x3030_4B50]
}

extension [UInt8] {
  /// Little-endian, as all numbers in a zip (APPNOTE 4.4.1.2). The caller has checked the bounds.
  func uint16(at index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

  func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) | UInt32(uint16(at: index + 2)) << 16 }

  func uint64(at index: Int) -> UInt64 { UInt64(uint32(at: index)) | UInt64(uint32(at: index + 4)) << 32 }
}

/// Reads a part of the zip once, front to back, through a window that grows only as far as one record needs.
struct ZipCursor {
  private static let window = 128 << 10

  private let bytes: ZipBytes
  private let end: Int64
  private var buffer: [UInt8] = []
  private var start = 0
  /// From the start of the file, of the next byte to be read.
  private(set) var offset: Int64

  init(_ bytes: ZipBytes, from offset: Int64, to end: Int64) {
    self.bytes = bytes
    self.offset = offset
    self.end = end
  }

  var remaining: Int64 { end - offset }

  /// The next `count` bytes without taking them; nil when fewer are left.
  mutating func peek(_ count: Int) throws(ZipError) -> ArraySlice<UInt8>? {
    guard Int64(count) <= remaining else { return nil }
    if buffer.count - start < count {
      let wanted = Int(min(remaining, Int64(max(count, Self.window))))
      buffer = try bytes.bytes(at: offset, count: wanted)
      start = 0
      guard buffer.count >= count else { return nil }
    }
    return buffer[start..<start + count]
  }

  /// Moves past `count` bytes that were peeked at.
  mutating func skip(_ count: Int) {
    start += count
    offset += Int64(count)
  }
}
