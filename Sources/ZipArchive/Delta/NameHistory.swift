/// The names that were coded last, and where something like the latest bytes stands among them.
struct NameHistory {
  /// The oldest bytes are overwritten after so many.
  private static let reach = 1 << 18
  private static let shortest: UInt32 = 4
  private static let longest = 32

  private var bytes: [UInt8] = []
  private var written = 0
  /// Where the bytes went on the last time that four like these were written.
  private var places = [Int32](repeating: -1, count: 1 << 14)
  private var match = 0
  /// Bytes that the latest ones have in common with an earlier place; 0 for none.
  private(set) var matched = 0
  /// The latest eight bytes, the last one lowest.
  private(set) var recent: UInt64 = 0

  /// What followed the earlier place.
  var guess: UInt8 { bytes[match & (Self.reach - 1)] }

  mutating func append(_ byte: UInt8) {
    if matched > 0, guess == byte {
      matched = min(matched + 1, Self.longest)
      match += 1
    } else {
      matched = 0
    }
    if bytes.count < Self.reach { bytes.append(byte) } else { bytes[written & (Self.reach - 1)] = byte }
    written += 1
    recent = recent << 8 | UInt64(byte)
    let place = Int((UInt32(truncatingIfNeeded: recent) &* 0x9E37_79B1) >> 18)
    if matched == 0 { find(Int(places[place])) }
    // More than 2 GiB of names are never coded: the directory is limited.
    places[place] = Int32(truncatingIfNeeded: written)
  }

  private mutating func find(_ place: Int) {
    guard place > 0, written - place < Self.reach - Self.longest else { return }
    var count = 0
    while count < Self.longest, count < place, at(place - 1 - count) == at(written - 1 - count) { count += 1 }
    guard count >= Int(Self.shortest) else { return }
    (match, matched) = (place, count)
  }

  private func at(_ place: Int) -> UInt8 { bytes[place & (Self.reach - 1)] }
}
