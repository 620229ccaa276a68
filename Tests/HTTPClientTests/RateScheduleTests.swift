import Testing

@testable import HTTPClient

@Suite struct RateScheduleTests {
  private func schedule(_ text: String) -> RateSchedule? { RateSchedule(text) { Int64($0) } }

  private func read(_ text: String) throws -> RateSchedule {
    let schedule = schedule(text)
    return try #require(schedule)
  }

  @Test func oneSizeCountsAllDay() throws {
    let schedule = try read("2000")
    for minute in [0, 1, 719, 1439] { #expect(schedule.rate(atMinute: minute) == 2000) }
  }

  @Test(
    arguments: [
      (7 * 60 + 59, nil), (8 * 60, 1000), (21 * 60 + 59, 1000), (22 * 60, nil), (0, nil),
    ] as [(Int, Int64?)])
  func aWindowCountsFromItsFirstMinuteToTheOneBeforeItsLast(minute: Int, rate: Int64?) throws {
    #expect(try read("08:00-22:00=1000").rate(atMinute: minute) == rate)
  }

  @Test(arguments: [(23 * 60, 5), (0, 5), (359, 5), (360, 9), (22 * 60 + 59, 9)] as [(Int, Int64)])
  func aWindowMayReachOverMidnightAndASizeCountsForTheRest(minute: Int, rate: Int64) throws {
    #expect(try read("9,23:00-6:00=5").rate(atMinute: minute) == rate)
  }

  @Test func theFirstWindowThatFitsCounts() throws {
    let schedule = try read("12:00-13:00=0,8:00-24:00=7")
    #expect(schedule.rate(atMinute: 12 * 60 + 30) == nil)
    #expect(schedule.rate(atMinute: 14 * 60) == 7)
    #expect(schedule.rate(atMinute: 1439) == 7)
    #expect(schedule.rate(atMinute: 60) == nil)
  }

  @Test func nothingIsNoLimit() throws {
    #expect(try read("0").rate(atMinute: 0) == nil)
  }

  @Test(arguments: [
    "", ",", "5,", "5,6", "x", "8:00=5", "08:00-=5", "-22:00=5", "08:00-08:00=5", "08:60-09:00=5",
    "24:01-25:00=5",
    "8-9=5", "08:0-09:00=5", "008:00-09:00=5", "08:00-09:00-10:00=5", "08:00-09:00=", "08:00-09:00=x",
    "+8:00-9:00=5",
    "٠٨:٠٠-٠٩:٠٠=5", "08:00-09:00", "08:00-09:00=5=6",
  ])
  func refusesWhatItCannotRead(text: String) {
    #expect(schedule(text) == nil)
  }
}
