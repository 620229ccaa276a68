/// The keys of a package's entries that a password opens, all in one run of bytes: those of 100,000 entries take some
/// megabytes. Apart from the records, of which a reader with keys and one without share the same.
struct EntryKeys: Sendable {
  /// Stands for an entry that has none.
  private static let nowhere = UInt32.max

  private var bytes: [UInt8] = []
  /// Where the keys of each record stand; empty when there are none at all.
  private var offsets: [UInt32] = []

  /// Nothing can be opened.
  static let none = EntryKeys()

  /// Whether those of the record with this index are among them.
  func open(_ index: Int) -> Bool { index < offsets.count && offsets[index] != Self.nowhere }

  /// Those of the record with this index.
  subscript(index: Int) -> DecryptionKeys? {
    guard open(index) else { return nil }
    let start = Int(offsets[index]) + 1
    guard let strength = WinZipAES.Strength(rawValue: bytes[start - 1]) else {
      return .zipCrypto(ZipCryptoKeys(saved: bytes[start..<start + ZipCryptoKeys.savedLength]))
    }
    let saved = bytes[start..<start + WinZipAES.Keys.savedLength(strength)]
    return .aes(WinZipAES.Keys(saved: saved, strength: strength))
  }

  /// Adds those of the record with this index, one of `count`.
  mutating func add(_ keys: DecryptionKeys, for index: Int, of count: Int) {
    if offsets.isEmpty { offsets = Array(repeating: Self.nowhere, count: count) }
    offsets[index] = UInt32(bytes.count)
    switch keys {
    case .zipCrypto(let keys): bytes += [0] + keys.saved
    case .aes(let keys): bytes += [keys.strength.rawValue] + keys.saved
    }
  }
}

/// What the cipher of one entry begins with: made of the password and of bytes that stand before the entry's own.
enum DecryptionKeys: Sendable {
  /// As they are behind the header.
  case zipCrypto(ZipCryptoKeys)
  case aes(WinZipAES.Keys)
}
