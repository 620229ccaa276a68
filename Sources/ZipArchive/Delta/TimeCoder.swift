internal import Platform

/// Codes when entries were changed: in seconds by the entry before, and the DOS time by the seconds.
struct TimeCoder {
  /// Of the last entry that had them, in seconds since 1970.
  private var modifiedAt: Int64 = 0
  private var others: [Int64] = [0, 0]
  private var step: Int64 = 0
  private var lastDOSTime: UInt32 = 0
  /// Whether the entry at hand has told its seconds.
  private var isKnown = false
  /// Ways that DOS times came of the seconds, the last one first.
  private var zones = [Zone(offset: 0, roundsUp: true), Zone(offset: 3600, roundsUp: true)]

  /// Between the clock of whoever packed it and UTC.
  private struct Zone: Equatable {
    var offset: Int64
    /// Odd seconds become the next even ones (Info-ZIP) or those before.
    var roundsUp: Bool

    func rounded(_ seconds: Int64) -> Int64 { roundsUp ? seconds + 1 & ~1 : seconds & ~1 }

    func dosTime(_ seconds: Int64) -> UInt32 {
      let date = EntryDate(unixSeconds: rounded(seconds) + offset)
      return UInt32(date.dosDate) << 16 | UInt32(date.dosTime)
    }
  }

  /// The content of Info-ZIP's extended timestamp (0x5455), of 5, 9 or 13 bytes. `twin` is that of the other header.
  mutating func timestamp<Coder>(
    _ wanted: [UInt8], count: Int, twin: [UInt8]?, with coder: inout IndexCoder<Coder>
  ) -> [UInt8] {
    let wish = wanted.count == count ? wanted : [UInt8](repeating: 0, count: count)
    let twinFlags = UInt32(twin?.first ?? 0)
    var result = [
      UInt8(
        coder.symbol(
          Int(wish[0]), bits: 8, .fieldByte, [0x5455, 0x5455_0000 | twinFlags << 8 | UInt32(count)]))
    ]
    let seconds = Int64(Int32(bitPattern: wish.uint32(at: 1)))
    if let twin, twin.count >= 5, coder.flag(Array(twin[1..<5]) == Array(wish[1..<5]), .sameContent, 0x5455) {
      result += twin[1..<5]
    } else {
      let coded = coder.difference(
        seconds &- modifiedAt, .time, UInt32(truncatingIfNeeded: min(max(step, -8), 8)))
      step = coded
      modifiedAt = Self.wrapped(modifiedAt &+ coded)
      result.put(UInt32(truncatingIfNeeded: modifiedAt))
    }
    isKnown = true
    let moved = UInt32(truncatingIfNeeded: min(max(step, -100), 100))
    for index in 0..<(count - 5) / 4 {
      let wishedOther = Int64(Int32(bitPattern: wish.uint32(at: 5 + index * 4)))
      let base = others[min(index, 1)]
      let coded = coder.difference(wishedOther &- base, .accessTime, moved, UInt32(index))
      others[min(index, 1)] = Self.wrapped(base &+ coded)
      result.put(UInt32(truncatingIfNeeded: others[min(index, 1)]))
    }
    return result
  }

  private static func wrapped(_ seconds: Int64) -> Int64 { Int64(Int32(truncatingIfNeeded: seconds)) }

  /// Date in the upper half, time in the lower. To be called after the timestamps of the directory's header.
  mutating func dosTime<Coder>(_ wanted: UInt32, with coder: inout IndexCoder<Coder>) -> UInt32 {
    defer { isKnown = false }
    guard isKnown else {
      let coded = coder.difference(Int64(wanted) - Int64(lastDOSTime), .step)
      lastDOSTime = UInt32(truncatingIfNeeded: Int64(lastDOSTime) &+ coded)
      return lastDOSTime
    }
    for index in zones.indices {
      let expected = zones[index].dosTime(modifiedAt)
      if coder.flag(wanted == expected, .sameTime, UInt32(index)) {
        zones.swapAt(0, index)
        return expected
      }
    }
    let result = UInt32(coder.bits(UInt64(wanted), count: 32))
    let shown = DOSTime(result).unixSeconds
    let candidates = [true, false].map { roundsUp in
      var zone = Zone(offset: 0, roundsUp: roundsUp)
      zone.offset = shown - zone.rounded(modifiedAt)
      return zone
    }
    // Zones are whole quarters of hours away from UTC.
    zones = [candidates.first { $0.offset % 900 == 0 } ?? candidates[0], zones[0]]
    return result
  }
}
