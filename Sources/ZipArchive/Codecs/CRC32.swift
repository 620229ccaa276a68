internal import CDeflate

/// The CRC-32 that zip uses (APPNOTE 4.4.7), by libdeflate.
package struct CRC32: Sendable {
  /// Of everything taken in so far.
  package private(set) var value: UInt32 = 0

  package init() {}

  /// Takes in more bytes.
  package mutating func update(_ bytes: borrowing Span<UInt8>) {
    let before = value
    value = unsafe bytes.withUnsafeBytes { buffer in
      // libdeflate reads a null buffer as a request for the initial value.
      guard let start = buffer.baseAddress else { return before }
      return unsafe libdeflate_crc32(before, start, buffer.count)
    }
  }

  /// Takes in the first `count` bytes of `bytes`.
  package mutating func update(_ bytes: [UInt8], count: Int) {
    update(bytes.span.extracting(first: count))
  }

  /// The CRC-32 of `bytes`.
  package static func value(of bytes: [UInt8]) -> UInt32 {
    var checksum = CRC32()
    checksum.update(bytes.span)
    return checksum.value
  }
}
