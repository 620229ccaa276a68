internal import Platform

/// The running keys of traditional PKWARE encryption (APPNOTE 6.1), ZipCrypto for short: they change with every plain byte.
/// The cipher is weak, and says nothing about who wrote the bytes; it is here because tools still write it.
package struct ZipCryptoKeys: Sendable, Hashable {
  /// APPNOTE 6.1.3: bytes before an entry's own, random but for the last, which tells a wrong password.
  package static let headerLength = 12

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }

  // APPNOTE 6.1.5.
  private var key0: UInt32 = 0x1234_5678
  private var key1: UInt32 = 0x2345_6789
  private var key2: UInt32 = 0x3456_7890

  /// The keys that each entry begins with.
  package init(password: [UInt8]) {
    let table = Self.table
    for byte in password { update(byte, table) }
  }

  /// As `saved` had them.
  init(saved: ArraySlice<UInt8>) {
    let bytes = Array(saved)
    (key0, key1, key2) = (bytes.uint32(at: 0), bytes.uint32(at: 4), bytes.uint32(at: 8))
  }

  static let savedLength = 12
  /// The keys as they are now.
  var saved: [UInt8] {
    [key0, key1, key2].flatMap { key in (0..<4).map { UInt8(truncatingIfNeeded: key >> (8 * UInt32($0))) } }
  }

  /// Deciphers the bytes of `range`, which must lie within `buffer`, and goes on where the last call ended.
  package mutating func decrypt(_ buffer: inout [UInt8], in range: Range<Int>) {
    let table = Self.table
    var keys = self
    for index in range {
      let plain = buffer[index] ^ keys.mask
      keys.update(plain, table)
      buffer[index] = plain
    }
    self = keys
  }

  /// Enciphers the bytes of `range`, which must lie within `buffer`, and goes on where the last call ended.
  package mutating func encrypt(_ buffer: inout [UInt8], in range: Range<Int>) {
    let table = Self.table
    var keys = self
    for index in range {
      let plain = buffer[index]
      buffer[index] = plain ^ keys.mask
      keys.update(plain, table)
    }
    self = keys
  }

  /// The enciphered header of a new entry; `check` is the CRC's highest byte, or with a data descriptor (bit 3) that of the
  /// time of the last change. Nil without random bytes.
  package mutating func header(check: UInt8) -> [UInt8]? {
    guard var header = Secrets.randomBytes(Self.headerLength) else { return nil }
    header[Self.headerLength - 1] = check
    encrypt(&header, in: 0..<Self.headerLength)
    return header
  }

  /// APPNOTE 6.1.6: deciphers an entry's header; its last byte is to be compared.
  package mutating func check(of header: [UInt8]) -> UInt8 {
    var header = header
    decrypt(&header, in: header.indices)
    return header.last ?? 0
  }

  /// APPNOTE 6.1.6, decrypt_byte().
  private var mask: UInt8 {
    let low = UInt32(truncatingIfNeeded: key2) & 0xFFFF | 2
    return UInt8(truncatingIfNeeded: (low &* (low ^ 1)) >> 8)
  }

  /// APPNOTE 6.1.5, update_keys().
  private mutating func update(_ plain: UInt8, _ table: [UInt32]) {
    key0 = table[Int(UInt8(truncatingIfNeeded: key0) ^ plain)] ^ key0 >> 8
    key1 = (key1 &+ key0 & 0xFF) &* 134_775_813 &+ 1
    key2 = table[Int(UInt8(truncatingIfNeeded: key2) ^ UInt8(truncatingIfNeeded: key1 >> 24))] ^ key2 >> 8
  }
}
