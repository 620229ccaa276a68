extension HTTPDate {
  /// Reads a date that fills a part of some bytes (RFC 9110 §5.6.7); names are case-sensitive.
  init?(_ bytes: Span<UInt8>, in range: Range<Int>, near reference: Int64) {
    var reader = Reader(position: range.lowerBound, end: range.upperBound)
    guard let seconds = reader.date(bytes, near: reference), reader.position == range.upperBound else {
      return nil
    }
    self.init(seconds: seconds)
  }

  private static let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longDays = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private struct Reader {
    var position: Int
    let end: Int

    mutating func date(_ bytes: Span<UInt8>, near reference: Int64) -> Int64? {
      if name(bytes, from: HTTPDate.longDays) != nil { return rfc850Date(bytes, near: reference) }
      guard name(bytes, from: HTTPDate.shortDays) != nil else { return nil }
      return text(bytes, ", ") ? fixDate(bytes) : asctimeDate(bytes)
    }

    /// `06 Nov 1994 08:49:37 GMT`
    private mutating func fixDate(_ bytes: Span<UInt8>) -> Int64? {
      guard let day = number(bytes, digits: 2), text(bytes, " "),
        let month = name(bytes, from: HTTPDate.months),
        text(bytes, " "), let year = number(bytes, digits: 4), text(bytes, " "), let time = time(bytes),
        text(bytes, " GMT")
      else { return nil }
      return seconds(year, month, day, time)
    }

    /// `, 06-Nov-94 08:49:37 GMT`
    private mutating func rfc850Date(_ bytes: Span<UInt8>, near reference: Int64) -> Int64? {
      guard text(bytes, ", "), let day = number(bytes, digits: 2), text(bytes, "-"),
        let month = name(bytes, from: HTTPDate.months), text(bytes, "-"), let year = number(bytes, digits: 2),
        text(bytes, " "), let time = time(bytes), text(bytes, " GMT")
      else { return nil }
      // What seems to be more than 50 years ahead is the most recent past year with the same digits.
      let halfCentury: Int64 = 1_577_880_000
      var found: Int64?
      for century in stride(from: 0, through: 9900, by: 100) {
        guard let candidate = seconds(century + year, month, day, time) else { continue }
        guard candidate - halfCentury <= HTTPDate(seconds: reference).seconds else { break }
        found = candidate
      }
      return found
    }

    /// ` Nov  6 08:49:37 1994`
    private mutating func asctimeDate(_ bytes: Span<UInt8>) -> Int64? {
      guard text(bytes, " "), let month = name(bytes, from: HTTPDate.months), text(bytes, " "),
        let day = text(bytes, " ") ? number(bytes, digits: 1) : number(bytes, digits: 2), text(bytes, " "),
        let time = time(bytes), text(bytes, " "), let year = number(bytes, digits: 4)
      else { return nil }
      return seconds(year, month, day, time)
    }

    private func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: Int) -> Int64? {
      guard let days = HTTPDate.days(year: year, month: month + 1, day: day) else { return nil }
      return days * 86400 + Int64(time)
    }

    /// `08:49:37`; a leap second is a 60.
    private mutating func time(_ bytes: Span<UInt8>) -> Int? {
      guard let hour = number(bytes, digits: 2), hour < 24, text(bytes, ":"),
        let minute = number(bytes, digits: 2),
        minute < 60, text(bytes, ":"), let second = number(bytes, digits: 2), second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private mutating func number(_ bytes: Span<UInt8>, digits: Int) -> Int? {
      guard end - position >= digits else { return nil }
      var number = 0
      for index in position..<position + digits {
        guard bytes[index].isDigit else { return nil }
        number = number * 10 + Int(bytes[index] - 0x30)
      }
      position += digits
      return number
    }

    /// Steps over a text, or stays.
    private mutating func text(_ bytes: Span<UInt8>, _ text: String) -> Bool {
      guard end - position >= text.utf8.count else { return false }
      var index = position
      for byte in text.utf8 {
        guard bytes[index] == byte else { return false }
        index += 1
      }
      position = index
      return true
    }

    /// Steps over one of some names and returns which, or stays.
    private mutating func name(_ bytes: Span<UInt8>, from names: [String]) -> Int? {
      names.firstIndex { text(bytes, $0) }
    }
  }
}
