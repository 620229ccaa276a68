/// A moment in UTC taken apart, proleptic Gregorian: what log lines and dates are made from without Foundation.
public struct CalendarTime: Hashable, Sendable {
  /// May be negative.
  public let year: Int
  /// 1…12.
  public let month: Int
  /// 1…31.
  public let day: Int
  /// 0…23.
  public let hour: Int
  /// 0…59.
  public let minute: Int
  /// 0…59.
  public let second: Int

  /// Any number of seconds since 1970.
  public init(unixSeconds: Int64) {
    let days = (unixSeconds >= 0 ? unixSeconds : unixSeconds - 86_399) / 86_400
    let rest = Int(unixSeconds - days * 86_400)
    // Years are counted from March of year 0, so that the leap day is the last of its year; 146,097 days are 400 years.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    hour = rest / 3600
    minute = rest / 60 % 60
    second = rest % 60
  }

  /// `2026-02-03T04:05:06` (RFC 3339 without the zone).
  public var text: String {
    "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))T"
      + "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))"
  }

  /// `03/Feb/2026:04:05:06 +0000`, as access logs have it.
  public var accessLogText: String {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(Self.padded(day))/\(months[month - 1])/\(Self.padded(year, 4)):"
      + "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second)) +0000"
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
