/// Tells when a transfer has stopped moving. libcurl's own low-speed limit needs up to three times its time and blames
/// the sender for the time we held it back; this one does neither. Times are milliseconds of the monotonic clock.
struct StallClock {
  /// Slower than this over the whole limit is as good as nothing, bytes a second.
  static let leastSpeed: Int64 = 1_000

  private var lastMove: Int64
  private var windowStart: Int64
  private var windowBytes: Int64 = 0
  private var isHeld = false

  init(now: Int64) {
    lastMove = now
    windowStart = now
  }

  /// `count` bytes came or went.
  mutating func moved(_ count: Int, now: Int64) {
    lastMove = now
    windowBytes += Int64(count)
  }

  /// We hold the sender back: time stands still.
  mutating func hold() { isHeld = true }

  /// Time goes on, with a fresh start: after a hold, or when the body begins.
  mutating func restart(now: Int64) {
    isHeld = false
    lastMove = now
    windowStart = now
    windowBytes = 0
  }

  /// Whether nothing moved for `limit`, or too little over as long.
  mutating func isStalled(now: Int64, limit: Int64) -> Bool {
    if isHeld { return false }
    if now - lastMove >= limit { return true }
    guard now - windowStart >= limit else { return false }
    // A window of silence before the first byte is for the rule above.
    if windowBytes > 0, windowBytes * 1000 < Self.leastSpeed * (now - windowStart) { return true }
    windowStart = now
    windowBytes = 0
    return false
  }

  /// When to look again.
  func nextCheck(limit: Int64) -> Int64? {
    isHeld ? nil : min(lastMove, windowStart) + limit
  }
}
