import HTTPClient
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct ChangeWaitTests {
  /// A clock that goes on only when somebody waits.
  private final class Time: RetryTimer {
    private let state = Mutex((now: Int64(0), waits: [Duration]()))
    private let chance: Double

    init(chance: Double = 0.5) { self.chance = chance }

    var milliseconds: Int64 { state.withLock { $0.now } }
    var waits: [Duration] { state.withLock { $0.waits } }
    var now: Int64 { milliseconds / 1000 }
    func fraction() -> Double { chance }
    func wait(_ duration: Duration) async throws(TransferError) {
      state.withLock {
        $0.now += Int64(duration / .milliseconds(1))
        $0.waits.append(duration)
      }
    }

    func pass(_ milliseconds: Int64) { state.withLock { $0.now += milliseconds } }
  }

  /// How long a pause took, what was asked for, and what was waited without asking.
  private func pause(
    _ interval: Duration, longest: Int = 24, chance: Double = 0.5,
    _ answer: @escaping @Sendable (_ number: Int, _ wait: Int) -> (ChangeWait.Answer, took: Int64)
  ) async throws -> (took: Int64, asked: [Int], waits: [Duration]) {
    let time = Time(chance: chance)
    let asked = Mutex<[Int]>([])
    let wait = ChangeWait(
      ask: { (seconds) async throws(TransferError) in
        let number = asked.withLock { asked in
          asked.append(seconds)
          return asked.count
        }
        let (answer, took) = answer(number, seconds)
        time.pass(took)
        return answer
      }, timer: time, clock: { time.milliseconds }, longest: longest)
    try await wait.run(interval: interval)
    return (time.milliseconds, asked.withLock { $0 }, time.waits)
  }

  @Test func aDepotThatHoldsTheQuestionIsAskedUntilTheTimeIsOver() async throws {
    let pause = try await pause(.seconds(60)) { _, wait in (.nothing, Int64(wait) * 1000) }
    #expect(pause.asked == [24, 24, 12] && pause.took == 60_000 && pause.waits.isEmpty)
  }

  @Test func aChangeEndsThePause() async throws {
    let pause = try await pause(.seconds(60)) { number, wait in
      number == 2 ? (.changed, 3_000) : (.nothing, Int64(wait) * 1000)
    }
    #expect(pause.took == 27_000 && pause.waits.isEmpty)
  }

  @Test func aDepotThatAnswersAtOnceIsAskedOnceOnly() async throws {
    let pause = try await pause(.seconds(60)) { _, _ in (.nothing, 5) }
    #expect(pause.asked == [24] && pause.took == 60_000)
  }

  @Test func afterAFailureTheRestIsWaited() async throws {
    let pause = try await pause(.seconds(60)) { number, wait in
      number == 2 ? (.failed, 100) : (.nothing, Int64(wait) * 1000)
    }
    #expect(pause.asked == [24, 24] && pause.took == 60_000)
  }

  @Test func nothingIsAskedWhenTheConnectionWouldNotHold() async throws {
    let pause = try await pause(.seconds(60), longest: 0) { _, _ in (.changed, 0) }
    #expect(pause.asked.isEmpty && pause.took == 60_000)
  }

  @Test(arguments: [(0.0, 48_000), (0.5, 60_000), (0.99, 71_760)] as [(Double, Int64)])
  func timesAreSpreadByAFifth(chance: Double, took: Int64) async throws {
    #expect(try await pause(.seconds(60), chance: chance) { _, _ in (.failed, 0) }.took == took)
  }

  @Test func aPauseShorterThanASecondAsksNothing() async throws {
    let pause = try await pause(.milliseconds(900)) { _, _ in (.changed, 0) }
    #expect(pause.asked.isEmpty && pause.took == 900)
  }
}
