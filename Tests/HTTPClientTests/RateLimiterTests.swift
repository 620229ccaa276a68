import Synchronization
import Testing

@testable import HTTPClient

@Suite struct RateLimiterTests {
  private func limiter(_ text: String, minute: @escaping () -> Int = { 0 }) throws -> RateLimiter {
    let schedule = RateSchedule(text) { Int64($0) }
    return RateLimiter(try #require(schedule), now: 0, minuteOfDay: minute)
  }

  /// Takes all it is given until `end` ms, in pieces as libcurl hands them over.
  private func taken(_ limiter: RateLimiter, from start: Int64, until end: Int64, pieces: Int = 16_384)
    -> Int64
  {
    var now = start
    var bytes: Int64 = 0
    while now < end {
      while limiter.admits(now: now) {
        limiter.took(pieces)
        bytes += Int64(pieces)
      }
      let next = limiter.nextAdmission(now: now)
      #expect(next > now)
      now = next
    }
    return bytes
  }

  @Test(arguments: [1_000, 50_000, 1_000_000, 300_000_000] as [Int64])
  func whatComesIsTheRateTimesTheTime(rate: Int64) throws {
    let bytes = taken(try limiter("\(rate)"), from: 0, until: 60_000)
    // The full bucket at the start, and the last piece that was begun.
    let most = rate * 60 + max(rate / 4, 16_384) + 16_384
    #expect(bytes >= rate * 59 && bytes <= most, "\(bytes)")
  }

  @Test func aPauseIsNotMadeUpFor() throws {
    let limiter = try limiter("100000")
    _ = taken(limiter, from: 0, until: 1_000)
    #expect(taken(limiter, from: 3_600_000, until: 3_601_000) <= 100_000 + 25_000 + 16_384)
  }

  @Test func withoutALimitEverythingComes() throws {
    let limiter = try limiter("0")
    limiter.took(1 << 40)
    #expect(limiter.admits(now: 0) && limiter.nextAdmission(now: 5) == 5)
  }

  @Test func theTimeOfDayIsFollowedWithinASecond() throws {
    let minute = Mutex(8 * 60)
    let limiter = try limiter("08:00-09:00=1000") { minute.withLock { $0 } }
    limiter.took(1_000_000)
    #expect(!limiter.admits(now: 10))
    // The debt would take a quarter of an hour; the end of the window ends it.
    #expect(limiter.nextAdmission(now: 10) <= 1_000)
    minute.withLock { $0 = 9 * 60 }
    #expect(limiter.admits(now: 1_001))
    minute.withLock { $0 = 8 * 60 }
    #expect(limiter.admits(now: 1_500))
    limiter.took(1_000_000)
    #expect(!limiter.admits(now: 2_100))
    #expect(limiter.admits(now: 2_200))
  }
}
