import Testing

@testable import HTTPClient

@Suite struct StallClockTests {
  @Test func stallsWhenNothingMoves() {
    var clock = StallClock(now: 0)
    let early = clock.isStalled(now: 999, limit: 1000)
    let late = clock.isStalled(now: 1000, limit: 1000)
    #expect(!early && late)
    #expect(clock.nextCheck(limit: 1000) == 1000)
  }

  @Test func stallsWhenTooLittleMoves() {
    var clock = StallClock(now: 0)
    for second in 1...30 { clock.moved(900, now: Int64(second) * 1000) }
    let isStalled = clock.isStalled(now: 30_000, limit: 30_000)
    #expect(isStalled)
  }

  @Test func letsASlowButSteadySenderGoOn() {
    var clock = StallClock(now: 0)
    var isStalled = false
    for second in 1...300 {
      clock.moved(1_100, now: Int64(second) * 1000)
      if clock.isStalled(now: Int64(second) * 1000, limit: 30_000) { isStalled = true }
    }
    #expect(!isStalled)
  }

  @Test func doesNotCountTheTimeWeHoldTheSenderBack() {
    var clock = StallClock(now: 0)
    clock.moved(1, now: 10)
    clock.hold()
    let held = clock.isStalled(now: 1_000_000, limit: 1000)
    #expect(!held)
    #expect(clock.nextCheck(limit: 1000) == nil)
    clock.restart(now: 1_000_000)
    let early = clock.isStalled(now: 1_000_999, limit: 1000)
    let late = clock.isStalled(now: 1_001_000, limit: 1000)
    #expect(!early && late)
  }

  @Test(
    arguments: [
      (.seconds(1), 1000), (.milliseconds(1), 1), (.seconds(-1), 0), (.seconds(Int64.max), 1 << 50),
    ]
      as [(Duration, Int64)]
  )
  func countsMilliseconds(duration: Duration, milliseconds: Int64) {
    #expect(duration.milliseconds == milliseconds)
  }
}
