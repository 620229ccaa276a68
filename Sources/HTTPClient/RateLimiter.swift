internal import Platform

/// One token bucket over all transfers of an engine: a byte that came costs a token. Belongs to the engine's thread.
///
/// A transfer may take what libcurl has in its hands as long as there is a token at all; what that is too much, all pay
/// back together by waiting. So the mean is the rate, whatever the sizes.
final class RateLimiter {
  /// The bucket holds what comes in so many milliseconds, and no more: after a pause nobody may make up for it …
  private static let burst: Int64 = 250
  /// … but at least so much, which libcurl hands over at a time.
  private static let leastBurst: Int64 = 16 << 10

  private let schedule: RateSchedule
  private let minuteOfDay: () -> Int
  private var rate: Int64?
  /// Thousandths of a byte.
  private var tokens: Int64 = 0
  private var filledAt: Int64
  /// When the schedule is asked again.
  private var rateUntil: Int64

  /// `now` is the monotonic clock in milliseconds; `minuteOfDay` tells the minutes since midnight.
  init(_ schedule: RateSchedule, now: Int64, minuteOfDay: @escaping () -> Int) {
    self.schedule = schedule
    self.minuteOfDay = minuteOfDay
    filledAt = now
    rateUntil = now
    refill(now: now)
    tokens = capacity
  }

  /// Whether more may come now.
  func admits(now: Int64) -> Bool {
    refill(now: now)
    return rate == nil || tokens > 0
  }

  /// `count` bytes came.
  func took(_ count: Int) {
    guard rate != nil else { return }
    tokens -= Int64(count) * 1000
  }

  /// When `admits` is worth asking again; now when it says yes.
  func nextAdmission(now: Int64) -> Int64 {
    guard !admits(now: now), let rate else { return now }
    // Not one by one: a wake-up costs more than a byte.
    let wanted = min(capacity, rate * 20) - tokens
    return min(rateUntil, now + max(1, (wanted + rate - 1) / rate))
  }

  private var capacity: Int64 { rate.map { max($0 * Self.burst, Self.leastBurst * 1000) } ?? 0 }

  private func refill(now: Int64) {
    if let rate, now > filledAt {
      // An hour's worth is more than any bucket holds: larger products could overflow.
      tokens = min(capacity, tokens + rate * min(now - filledAt, 3_600_000))
    }
    filledAt = now
    guard now >= rateUntil else { return }
    let next = schedule.rate(atMinute: minuteOfDay())
    if next != rate {
      // What another rate allowed is neither credit nor debt.
      rate = next
      tokens = 0
    }
    rateUntil = now + 1_000
  }
}
