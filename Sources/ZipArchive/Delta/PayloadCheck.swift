internal import Platform

/// The checksum of a payload as it lies in the zip.
enum PayloadCheck {
  /// CRC-32 of `count` bytes of a file.
  static func crc32(of file: File, at start: Int64, count: Int64) throws(IndexError) -> UInt32 {
    var checksum = CRC32()
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var (offset, end) = (start, start + count)
    while offset < end {
      let got: Int
      do throws(SystemError) {
        got = try file.read(into: &buffer, count: Int(min(Int64(buffer.count), end - offset)), at: offset)
      } catch { throw .system(error) }
      guard got > 0 else { throw .irregular("it ended while it was read, at offset \(offset)") }
      checksum.update(buffer, count: got)
      offset += Int64(got)
    }
    return checksum.value
  }
}
