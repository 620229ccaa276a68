internal import FoundationEssentials

/// A moment in whole seconds, years 0 to 9999, written as RFC 3339 in UTC.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let seconds: Int64

  /// 0000-01-01T00:00:00Z: RFC 3339 has no way to write an earlier moment.
  private static let first: Int64 = -62_167_219_200
  /// 9999-12-31T23:59:59Z.
  private static let last: Int64 = 253_402_300_799

  /// A moment so many seconds after the epoch; one outside the years 0 to 9999 becomes the nearest inside.
  public init(seconds: Int64) { self.seconds = min(max(seconds, Self.first), Self.last) }

  /// Reads an RFC 3339 time such as `2026-03-01T12:00:00Z` or `2026-03-01t20:00:00.25+08:00`; a fraction is dropped.
  /// Nil for anything else.
  public init?(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
      reader.skip("-"), let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
      let hour = reader.number(digits: 2), reader.skip(":"), let minute = reader.number(digits: 2),
      reader.skip(":"), let second = reader.number(digits: 2), reader.skipFraction(),
      let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    guard 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.days(beforeYear: year) + Self.days(before: month, of: year) + day - 1
    let seconds = Self.first + days * 86400 + hour * 3600 + minute * 60 + second - offset
    // RFC 3339 §5.7: a leap second exists only at the end of a UTC day.
    guard second < 60 || seconds.isMultiple(of: 86400) else { return nil }
    guard Self.first...Self.last ~= seconds else { return nil }
    self.seconds = seconds
  }

  /// The system clock's time.
  public static var now: Timestamp {
    Timestamp(seconds: Int64(Date().timeIntervalSince1970.rounded(.down)))
  }

  /// `2026-03-01T12:00:00Z`.
  public var description: String {
    let sinceFirst = seconds - Self.first
    let second = sinceFirst % 86400
    var days = sinceFirst / 86400
    var year = days / 366
    while Self.days(beforeYear: year + 1) <= days { year += 1 }
    days -= Self.days(beforeYear: year)
    var month: Int64 = 1
    while Self.days(before: month + 1, of: year) <= days, month < 12 { month += 1 }
    days -= Self.days(before: month, of: year)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    func append(_ number: Int64, _ divisor: Int64, _ mark: Unicode.Scalar) {
      var divisor = divisor
      while divisor > 0 {
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
        divisor /= 10
      }
      bytes.append(UInt8(ascii: mark))
    }
    append(year, 1000, "-")
    append(month, 10, "-")
    append(days + 1, 10, "T")
    append(second / 3600, 10, ":")
    append(second / 60 % 60, 10, ":")
    append(second % 60, 10, "Z")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Earlier before later.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }
}

/// The proleptic Gregorian calendar of RFC 3339, from the year 0.
extension Timestamp {
  private static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func days(beforeYear year: Int64) -> Int64 {
    guard year > 0 else { return 0 }
    // The year 0 is a leap year, and one more than the quotients count.
    let last = year - 1
    return year * 365 + last / 4 - last / 100 + last / 400 + 1
  }

  private static func days(before month: Int64, of year: Int64) -> Int64 {
    (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Timestamp {
  /// Takes a text apart from its beginning.
  private struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
      position += 1
      return true
    }

    mutating func number(digits: Int) -> Int64? {
      guard position + digits <= bytes.count else { return nil }
      var number: Int64 = 0
      for byte in bytes[position..<position + digits] {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      position += digits
      return number
    }

    /// False for a point that no digit follows.
    mutating func skipFraction() -> Bool {
      guard skip(".") else { return true }
      let start = position
      while number(digits: 1) != nil {}
      return position > start
    }

    /// Seconds that the written time is ahead of UTC.
    mutating func offset() -> Int64? {
      if skip("Z") || skip("z") { return 0 }
      let sign: Int64 = skip("-") ? -1 : 1
      guard sign < 0 || skip("+"), let hours = number(digits: 2), skip(":"),
        let minutes = number(digits: 2), hours < 24, minutes < 60
      else { return nil }
      return sign * (hours * 3600 + minutes * 60)
    }
  }
}
