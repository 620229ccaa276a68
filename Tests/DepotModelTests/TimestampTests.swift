import DepotModel
import Foundation
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_796_040_000, "2026-11-30T12:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
    (4_107_542_400, "2100-03-01T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
    (-62_135_596_800, "0001-01-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
  ])
  func writesAndReads(_ seconds: Int64, _ text: String) {
    #expect(Timestamp(seconds: seconds).description == text)
    #expect(Timestamp(text)?.seconds == seconds)
  }

  @Test func agreesWithTheSystemsCalendar() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let seconds = Int64.random(in: -12_000_000_000...200_000_000_000, using: &generator)
      let text = Timestamp(seconds: seconds).description
      let expected = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
      #expect(text == expected)
      #expect(Timestamp(text)?.seconds == seconds)
    }
  }

  @Test(arguments: [
    ("2026-03-01T20:00:00+08:00", "2026-03-01T12:00:00Z"),
    ("2026-03-01T00:30:00-11:30", "2026-03-01T12:00:00Z"),
    ("2026-03-01t12:00:00z", "2026-03-01T12:00:00Z"),
    ("2026-03-01T12:00:00.999999999Z", "2026-03-01T12:00:00Z"),
    ("2026-03-01T12:00:00-00:00", "2026-03-01T12:00:00Z"),
    ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ("2017-01-01T07:59:60+08:00", "2017-01-01T00:00:00Z"),
  ])
  func readsEveryFormOfRFC3339(_ text: String, _ same: String) {
    #expect(Timestamp(text)?.description == same)
  }

  @Test(arguments: [
    "", "2026", "2026-03-01", "2026-03-01 12:00:00Z", "2026-03-01T12:00:00", "2026-03-01T12:00Z",
    "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-02-29T12:00:00Z", "1900-02-29T12:00:00Z",
    "2026-04-31T12:00:00Z", "2026-03-00T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z",
    "2026-03-01T12:00:61Z", "2026-03-01T12:00:60Z", "2026-03-01T12:00:00.Z", "2026-03-01T12:00:00,5Z",
    "2026-03-01T12:00:00+8:00", "2026-03-01T12:00:00+0800", "2026-03-01T12:00:00+24:00",
    "2026-03-01T12:00:00Z ", " 2026-03-01T12:00:00Z", "26-03-01T12:00:00Z", "+026-03-01T12:00:00Z",
    "2026-3-1T12:00:00Z", "２026-03-01T12:00:00Z", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00",
  ])
  func refusesEverythingElse(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func keepsToWritableYears() {
    #expect(Timestamp(seconds: .max).description == "9999-12-31T23:59:59Z")
    #expect(Timestamp(seconds: .min).description == "0000-01-01T00:00:00Z")
  }

  @Test func comparesAndTellsTheTime() {
    #expect(Timestamp(seconds: 1) < Timestamp(seconds: 2))
    let before = Int64(Date().timeIntervalSince1970) - 1
    #expect(before...before + 3 ~= Timestamp.now.seconds)
  }
}
