internal import Platform

/// When an entry was last changed, as headers have it.
struct EntryDate: Hashable {
  /// Hours, minutes and pairs of seconds; years since 1980, months and days (APPNOTE 4.4.6).
  let dosTime: UInt16
  let dosDate: UInt16
  /// The same moment in seconds since 1970, for an extended timestamp field; nil when none is to be written.
  let unixSeconds: Int32?

  /// 1980-01-01 00:00, the earliest there is.
  static let fixed = EntryDate(dosTime: 0, dosDate: 0x21, unixSeconds: nil)

  private init(dosTime: UInt16, dosDate: UInt16, unixSeconds: Int32?) {
    (self.dosTime, self.dosDate, self.unixSeconds) = (dosTime, dosDate, unixSeconds)
  }

  /// In UTC. What DOS cannot say becomes the nearest that it can: 1980 to 2107.
  init(unixSeconds seconds: Int64) {
    let earliest: Int64 = 315_532_800
    let latest: Int64 = 4_354_819_198
    let time = CalendarTime(unixSeconds: min(max(seconds, earliest), latest))
    dosTime = UInt16(time.hour << 11 | time.minute << 5 | time.second / 2)
    dosDate = UInt16((time.year - 1980) << 9 | time.month << 5 | time.day)
    unixSeconds = Int32(exactly: seconds)
  }

  /// Info-ZIP's extended timestamp, 0x5455: the time of last change alone. The same in both headers.
  var extraField: [UInt8] {
    guard let unixSeconds else { return [] }
    var field: [UInt8] = []
    field.put(UInt16(0x5455))
    field.put(UInt16(5))
    field.append(1)
    field.put(UInt32(bitPattern: unixSeconds))
    return field
  }
}

extension [UInt8] {
  /// Appends little-endian bytes, as all numbers in a zip are (APPNOTE 4.4.1.2).
  mutating func put(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// Appends little-endian bytes.
  mutating func put(_ value: UInt32) {
    put(UInt16(truncatingIfNeeded: value))
    put(UInt16(truncatingIfNeeded: value >> 16))
  }

  /// Appends little-endian bytes.
  mutating func put(_ value: UInt64) {
    put(UInt32(truncatingIfNeeded: value))
    put(UInt32(truncatingIfNeeded: value >> 32))
  }
}
