/// The CRC-32 of a window of a fixed length, as it moves over bytes one by one.
struct RollingCRC32 {
  /// Of the window, without what CRC-32 puts before and behind the bytes: every window of the same length differs from its
  /// CRC-32 by the same bits.
  private(set) var register: UInt32 = 0
  private let table: [UInt32]
  /// What a byte that leaves the window has left in the register.
  private let leaving: [UInt32]
  /// `register` xor this is the CRC-32.
  let difference: UInt32

  init(window: Int) {
    // RFC 1952 §8.
    var table = [UInt32](repeating: 0, count: 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      table[byte] = value
    }
    // The register is linear: what the bits of a byte leave one by one is what they leave together.
    var leaving = [UInt32](repeating: 0, count: 256)
    for bit in 0..<8 {
      var value = table[1 << bit]
      for _ in 0..<window { value = value >> 8 ^ table[Int(value & 0xFF)] }
      for byte in 0..<256 where byte >> bit & 1 == 1 { leaving[byte] ^= value }
    }
    self.table = table
    self.leaving = leaving
    difference = CRC32.value(of: [UInt8](repeating: 0, count: window))
  }

  /// Begins with the first window of `bytes`, whose CRC-32 is known.
  mutating func begin(crc32: UInt32) { register = crc32 ^ difference }

  /// Moves by one byte.
  mutating func move(out old: UInt8, in new: UInt8) {
    register = register >> 8 ^ table[Int((register ^ UInt32(new)) & 0xFF)] ^ leaving[Int(old)]
  }
}
