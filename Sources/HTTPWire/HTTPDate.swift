/// A point in time as HTTP writes it, to the second, in GMT (RFC 9110 §5.6.7).
public struct HTTPDate: Hashable, Sendable, CustomStringConvertible {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let seconds: Int64

  /// The date of a Unix time, kept within the years 0 to 9999 that the format has.
  public init(seconds: Int64) {
    self.seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
  }

  /// Reads any of the three forms; nil for anything else. A two-digit year is the one with these digits that is not
  /// more than 50 years after `reference`, which is in seconds since 1970.
  public init?(_ text: String, near reference: Int64) {
    let bytes = Array(text.utf8)
    self.init(bytes.span, in: 0..<bytes.count, near: reference)
  }

  private static let dayNames = Array("SunMonTueWedThuFriSat".utf8)
  private static let monthNames = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// The form to send, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The same as 29 bytes of ASCII.
  public var bytes: [UInt8] {
    let days = seconds.flooredQuotient(by: 86400)
    let second = Int(seconds - days * 86400)
    let (year, month, day) = Self.civil(fromDays: days)
    let weekday = Int((days + 4) - (days + 4).flooredQuotient(by: 7) * 7)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(29)
    func append(_ number: Int, after separator: UInt8) {
      bytes.append(separator)
      bytes.append(UInt8(0x30 + number / 10))
      bytes.append(UInt8(0x30 + number % 10))
    }
    bytes += Self.dayNames[3 * weekday..<3 * weekday + 3]
    bytes.append(UInt8(ascii: ","))
    append(day, after: 0x20)
    bytes.append(0x20)
    bytes += Self.monthNames[3 * (month - 1)..<3 * month]
    append(year / 100, after: 0x20)
    bytes.append(UInt8(0x30 + year / 10 % 10))
    bytes.append(UInt8(0x30 + year % 10))
    append(second / 3600, after: 0x20)
    append(second / 60 % 60, after: UInt8(ascii: ":"))
    append(second % 60, after: UInt8(ascii: ":"))
    bytes += [0x20, UInt8(ascii: "G"), UInt8(ascii: "M"), UInt8(ascii: "T")]
    return bytes
  }

  /// Days since 1970 to a date of the proleptic Gregorian calendar. Years are counted from March, so that the leap day
  /// is a year's last and the months before it have lengths that a line describes.
  private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(by: 146_097)
    let dayOfEra = Int(shifted - era * 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The way back; nil for a day that the month does not have.
  static func days(year: Int, month: Int, day: Int) -> Int64? {
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let era = shiftedYear.flooredQuotient(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    guard civil(fromDays: days) == (year, month, day) else { return nil }
    return days
  }
}

extension Int64 {
  /// The quotient rounded down, also below zero; the divisor is positive.
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    (self >= 0 ? self : self - (divisor - 1)) / divisor
  }
}
