import CZlib
import ZipArchive

/// libFuzzer's own mutations.
@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int) -> Int

/// Mutates a zip, and mostly makes its headers and checksums agree again: else hardly an input came past them.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutateZip(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ room: Int, _ seed: UInt32) -> Int
{
  let count = mutate(start, count, room)
  guard seed % 4 != 0 else { return count }
  var zip = Repair(bytes: Array(UnsafeBufferPointer(start: start, count: count)))
  zip.repair()
  // Nothing of it moves.
  for (index, byte) in zip.bytes.enumerated() { start[index] = byte }
  return count
}

/// Overwrites local headers and checksums with what the directory and the data say.
struct Repair {
  var bytes: [UInt8]

  mutating func repair() {
    guard let end = last(of: [0x50, 0x4b, 5, 6]), end + 22 <= bytes.count else { return }
    // The directory begins with the first of its headers.
    guard var offset = first(of: [0x50, 0x4b, 1, 2]), offset < end else { return }
    put(offset, 4, at: end + 16)
    put(end - offset, 4, at: end + 12)
    var count = 0
    while offset + 46 <= end, bytes[offset...].starts(with: [0x50, 0x4b, 1, 2]) {
      repairEntry(offset)
      count += 1
      offset += 46 + get(2, at: offset + 28) + get(2, at: offset + 30) + get(2, at: offset + 32)
    }
    put(count, 2, at: end + 8)
    put(count, 2, at: end + 10)
    put(bytes.count - end - 22, 2, at: end + 20)
  }

  private mutating func repairEntry(_ central: Int) {
    let local = get(4, at: central + 42)
    let nameLength = get(2, at: central + 28)
    guard local + 30 + nameLength <= central, bytes[local...].starts(with: [0x50, 0x4b, 3, 4]) else { return }
    copy(4, from: central + 8, to: local + 6)
    guard get(2, at: local + 26) == nameLength, central + 46 + nameLength <= bytes.count else { return }
    copy(nameLength, from: central + 46, to: local + 30)
    let data = local + 30 + nameLength + get(2, at: local + 28)
    let packed = get(4, at: central + 20)
    guard data + packed <= central, let content = content(get(2, at: central + 10), data, packed) else {
      return
    }
    put(Int(CRC32.value(of: content)), 4, at: central + 16)
    put(content.count, 4, at: central + 24)
    copy(12, from: central + 16, to: local + 14)
  }

  /// Nil for other methods, broken streams and streams that do not fill their place.
  private func content(_ method: Int, _ start: Int, _ count: Int) -> [UInt8]? {
    var packed = Array(bytes[start..<start + count])
    guard method == 8 else { return method == 0 ? packed : nil }
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var stream = z_stream()
    guard czlib_inflate_init_raw(&stream) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    let status = packed.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
        (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
        return inflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END, stream.avail_in == 0 else { return nil }
    return Array(output[..<Int(stream.total_out)])
  }

  private func first(of signature: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: signature) }
  }

  private func last(of signature: [UInt8]) -> Int? {
    bytes.indices.last { bytes[$0...].starts(with: signature) }
  }

  private func get(_ width: Int, at offset: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
  }

  private mutating func put(_ value: Int, _ width: Int, at offset: Int) {
    for index in 0..<width { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (index * 8)) }
  }

  private mutating func copy(_ count: Int, from source: Int, to target: Int) {
    for index in 0..<count { bytes[target + index] = bytes[source + index] }
  }
}
