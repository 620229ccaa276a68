import Testing

@testable import HTTPWire

@Suite struct HTTPDateTests {
  /// 6 November 1994, the example of RFC 9110 §5.6.7.
  private let example: Int64 = 784_111_777

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func readsAllThreeForms(_ text: String) {
    #expect(HTTPDate(text, near: example)?.seconds == example)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (2_147_483_647, "Tue, 19 Jan 2038 03:14:07 GMT"),
      (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"), (4_294_967_296, "Sun, 07 Feb 2106 06:28:16 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
      (Int64.min, "Sat, 01 Jan 0000 00:00:00 GMT"), (-2_203_891_200, "Thu, 01 Mar 1900 00:00:00 GMT"),
    ] as [(Int64, String)])
  func writesTheFixedForm(_ seconds: Int64, _ text: String) {
    #expect(HTTPDate(seconds: seconds).description == text)
    #expect(HTTPDate(seconds: seconds).bytes == Array(text.utf8))
  }

  @Test func everyDayFourHundredYearsLongComesBack() {
    let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    // All the calendar repeats after 146,097 days, which are whole weeks.
    for day in Int64(0)..<146_097 {
      let date = HTTPDate(seconds: day * 86400 + 3661)
      let bytes = date.bytes
      let isSame = HTTPDate(bytes.span, in: 0..<bytes.count, near: 0) == date
      let hasWeekday = bytes.starts(with: names[Int(day % 7)].utf8)
      if !isSame || !hasWeekday { #expect(Bool(false), "\(date)") }
    }
  }

  @Test(arguments: [
    ("94", 1994), ("26", 2026), ("76", 2076), ("77", 1977), ("00", 2000), ("99", 1999),
  ])
  func takesTwoDigitYearsForTheNearest(_ digits: String, _ year: Int) {
    // Mid 2026: 50 years on is mid 2076, and 1 January 2077 is beyond that.
    let reference: Int64 = 1_782_000_000
    let text = "Friday, 01-Jan-\(digits) 00:00:00 GMT"
    #expect(
      HTTPDate(text, near: reference)?.seconds
        == HTTPDate.days(year: year, month: 1, day: 1).map { $0 * 86400 })
  }

  @Test func takesALeapSecond() {
    #expect(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT", near: 0)?.seconds == 1_483_228_800)
  }

  @Test(arguments: [
    "", "Sun", "Sun,", "0", "784111777", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
    "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
    "Sun, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94",
    "Sunday, 30-Feb-94 08:49:37 GMT",
    "Sun, 06 Nov 12345 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
  ])
  func refusesEverythingElse(_ text: String) {
    #expect(HTTPDate(text, near: example) == nil)
  }
}
