internal import Platform

/// How often and after how long a request that failed is tried again: exponential back-off with full jitter, so that
/// clients which failed together do not come back together; a server's `Retry-After` counts as the least.
public struct RetryPolicy: Sendable {
  /// Tries after the first one.
  public var retries: Int
  /// The bound of the first wait; it doubles with each further one.
  public var base: Duration
  /// The bound no wait passes.
  public var cap: Duration
  /// A `Retry-After` beyond this is not waited for: the failure is final.
  public var patience: Duration

  /// All of it by hand; `standard(retries:)` has values for a mirror.
  public init(retries: Int, base: Duration, cap: Duration, patience: Duration) {
    self.retries = retries
    self.base = base
    self.cap = cap
    self.patience = patience
  }

  /// Up to half a second, doubling to 30 s, and at most five minutes when the server names the time.
  public static func standard(retries: Int) -> RetryPolicy {
    RetryPolicy(retries: retries, base: .milliseconds(500), cap: .seconds(30), patience: .seconds(300))
  }

  /// The wait before retry number `retry` (from 1); nil when there is to be none.
  public func delay(beforeRetry retry: Int, after error: TransferError, timer: some RetryTimer) -> Duration? {
    guard error.isRetryable, retry <= retries else { return nil }
    let bound = min(cap, base * (1 << min(retry - 1, 20)))
    let jittered = bound * timer.fraction()
    guard case .status(let failure) = error, let text = failure.retryAfter,
      let asked = RetryAfter.delay(text, now: timer.now)
    else { return jittered }
    guard asked <= patience else { return nil }
    // Some jitter on top: everybody was told the same time.
    return max(asked, jittered) + base * timer.fraction()
  }
}

/// Time and chance as the retries see them: the seam through which tests run without waiting.
public protocol RetryTimer: Sendable {
  /// Seconds since 1970.
  var now: Int64 { get }
  /// From 0 up to but not including 1, evenly spread.
  func fraction() -> Double
  /// Returns when the time has passed; throws `cancelled` when the task is cancelled before.
  func wait(_ duration: Duration) async throws(TransferError)
}

/// The real clock and the system's generator.
public struct SystemRetryTimer: RetryTimer {
  /// Nothing to set.
  public init() {}

  /// By `CLOCK_REALTIME`.
  public var now: Int64 { SystemClock.unixSeconds }

  /// By the system's generator.
  public func fraction() -> Double { Double.random(in: 0..<1) }

  /// By `Task.sleep`.
  public func wait(_ duration: Duration) async throws(TransferError) {
    do { try await Task.sleep(for: duration) } catch { throw .cancelled }
  }
}

/// `Retry-After` (RFC 9110 §10.2.3): seconds or a date.
public enum RetryAfter {
  /// The wait it asks for, never negative; nil when unreadable.
  public static func delay(_ text: String, now: Int64) -> Duration? {
    let text = text.drop { $0 == " " }
    if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More seconds than a number holds are still a wait longer than anybody's patience.
      return .seconds(ResponseHead.decimal(text) ?? .max)
    }
    guard let date = Curl.httpDate(String(text)) else { return nil }
    return .seconds(max(0, date.subtractingReportingOverflow(now).partialValue))
  }
}
