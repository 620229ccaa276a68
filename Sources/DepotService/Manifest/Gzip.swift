internal import HTTPWire
internal import ZipArchive

/// The gzip coding (RFC 1952) of a body that is there as a whole.
enum Gzip {
  /// Bodies over this many bytes are sent compressed to whoever takes it; below, the gain is lost in the packet.
  static let threshold = 1024

  /// What an answer says that other clients may get in another coding (RFC 9110 §12.5.5), in whichever it is itself.
  static let vary = "Accept-Encoding"

  /// Nil when zlib has no memory.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard let deflated = Deflater.deflate(bytes) else { return nil }
    // RFC 1952 §2.3: magic, deflate, no flags, no time, no extra flags, made on Unix.
    var output: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    output.reserveCapacity(deflated.count + 18)
    output += deflated
    append(CRC32.value(of: bytes), to: &output)
    append(UInt32(truncatingIfNeeded: bytes.count), to: &output)
    return output
  }

  private static func append(_ value: UInt32, to output: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      output.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
