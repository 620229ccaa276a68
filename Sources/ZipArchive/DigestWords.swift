/// A digest of at most 32 bytes as words and not as an array: a package may have 100,000 files.
struct DigestWords: Hashable, Sendable {
  private let first, second, third, fourth: UInt64

  init(_ bytes: [UInt8]) {
    func word(_ index: Int) -> UInt64 { index * 8 + 8 <= bytes.count ? bytes.uint64(at: index * 8) : 0 }
    (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
  }

  /// Always 32.
  var bytes: [UInt8] {
    [first, second, third, fourth].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    }
  }
}
