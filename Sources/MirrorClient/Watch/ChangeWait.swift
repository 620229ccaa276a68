internal import HTTPClient
internal import Platform

/// The pause between two syncs of a mirror that stays: ends when its time is over, or earlier when the depot says that
/// something changed.
///
/// A depot that holds the question back until there is an answer (`GET /games?since=…&wait=…`) is asked again and again; one
/// that answers at once does not know `wait`, and is left alone until the time is over.
struct ChangeWait: Sendable {
  /// What the depot says to one question.
  enum Answer: Sendable {
    case changed
    case nothing
    case failed
  }

  /// An answer that comes sooner than this part of the time asked for was not held back.
  private static let held = 0.5
  /// By how much a time differs at most, so that mirrors started together do not come together.
  private static let jitter = 0.2

  /// Asks for a change, and to be let wait so long for one; seconds.
  let ask: @Sendable (_ wait: Int) async throws(TransferError) -> Answer
  let timer: any RetryTimer
  /// A clock that never jumps, in milliseconds.
  let clock: @Sendable () -> Int64
  /// Seconds to ask for; 0 when the connection would be given up before.
  let longest: Int

  /// Returns after `interval`, more or less, or when there is something to fetch. Throws `cancelled`.
  func run(interval: Duration) async throws(TransferError) {
    let spread = 1 - Self.jitter + 2 * Self.jitter * timer.fraction()
    let end = clock() + Int64(interval / .milliseconds(1) * spread)
    while longest > 0 {
      let left = end - clock()
      let wait = min(longest, Int(left / 1000))
      guard wait > 0 else { break }
      let asked = clock()
      let answer = try await ask(wait)
      if case .changed = answer { return }
      guard case .nothing = answer, Double(clock() - asked) >= Double(wait) * 1000 * Self.held else { break }
    }
    let left = end - clock()
    if left > 0 { try await timer.wait(.milliseconds(left)) }
  }
}
