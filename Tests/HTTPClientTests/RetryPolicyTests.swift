import Platform
import Testing

@testable import HTTPClient

@Suite struct RetryPolicyTests {
  private struct FixedTimer: RetryTimer {
    var now: Int64 = 784_111_777
    var chance = 0.5
    func fraction() -> Double { chance }
    func wait(_ duration: Duration) async throws(TransferError) {}
  }

  private func status(_ code: Int, retryAfter: String? = nil) -> TransferError {
    let fields = retryAfter.map { [ResponseHead.Field(name: "Retry-After", value: $0)] } ?? []
    return .status(
      StatusFailure(head: ResponseHead(status: code, fields: fields), body: [], url: "http://h/"))
  }

  private let policy = RetryPolicy(retries: 8, base: .seconds(1), cap: .seconds(30), patience: .seconds(300))

  @Test func doublesTheBoundUpToTheCap() {
    let error = TransferError.network(code: 7, text: "")
    let most = FixedTimer(chance: 0.999_999)
    let bounds = (1...8).map { policy.delay(beforeRetry: $0, after: error, timer: most) ?? .zero }
    for (bound, expected) in zip(bounds, [1.0, 2, 4, 8, 16, 30, 30, 30]) {
      #expect(bound <= .seconds(expected) && bound > .seconds(expected * 0.99))
    }
    #expect(policy.delay(beforeRetry: 3, after: error, timer: FixedTimer(chance: 0)) == .zero)
    #expect(policy.delay(beforeRetry: 9, after: error, timer: most) == nil)
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
  func retriesTheseStatuses(code: Int) {
    #expect(status(code).isRetryable)
  }

  @Test(arguments: [300, 400, 401, 403, 404, 409, 410, 416, 422, 501, 505, 507])
  func doesNotRetryThese(code: Int) {
    #expect(policy.delay(beforeRetry: 1, after: status(code), timer: FixedTimer()) == nil)
  }

  @Test(arguments: [6, 7, 16, 18, 28, 35, 52, 55, 56, 92] as [Int32])
  func retriesTheseNetworkErrors(code: Int32) {
    #expect(TransferError.network(code: code, text: "").isRetryable)
  }

  @Test func tellsErrorsApart() {
    let cancelled = TransferError.cancelled
    #expect(!cancelled.isRetryable && !cancelled.isUnreachable)
    let certificate = TransferError.certificate(code: 60, text: "self-signed")
    #expect(!certificate.isRetryable && certificate.isUnreachable)
    #expect(TransferError.headIncomplete.isRetryable)
    #expect(TransferError.stalled(after: .seconds(1)).isUnreachable)
    #expect(!TransferError.network(code: 23, text: "").isRetryable)
    #expect(status(401).isNotPermitted && status(403).isNotPermitted && !status(404).isNotPermitted)
    #expect(!cancelled.isNotPermitted)
    #expect(status(503).isUnreachable && !status(404).isUnreachable)
    let all: [TransferError] = [
      cancelled, certificate, .headIncomplete, .bodyIncomplete(expected: 2, received: 1),
      .stalled(after: .seconds(1)),
      .deadlineExceeded(.seconds(1)), .tooLarge(limit: 1), .headTooLarge(limit: 1), .headMalformed("x"),
      .unexpectedEncoding("br"),
      .badURL("x"), .redirectRefused(from: "a", to: "b"), .tooManyRedirects("c"), .stoppedByReceiver,
      status(404),
      .network(code: 7, text: "refused"), .unreadable(.init(errno: 5, operation: "read", path: "f")),
    ]
    #expect(Set(all.map(\.description)).count == all.count)
  }

  @Test func obeysRetryAfterInSeconds() {
    let delay = policy.delay(
      beforeRetry: 1, after: status(503, retryAfter: "120"), timer: FixedTimer(chance: 0))
    #expect(delay == .seconds(120))
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:47 GMT", "Sunday, 06-Nov-94 08:49:47 GMT", "Sun Nov  6 08:49:47 1994",
  ])
  func obeysRetryAfterAsDate(text: String) {
    let delay = policy.delay(
      beforeRetry: 1, after: status(429, retryAfter: text), timer: FixedTimer(chance: 0))
    #expect(delay == .seconds(10))
  }

  @Test func waitsNotAtAllForADateGoneBy() {
    #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:27 GMT", now: 784_111_777) == .zero)
  }

  @Test func givesUpWhenAskedToWaitTooLong() {
    #expect(policy.delay(beforeRetry: 1, after: status(503, retryAfter: "301"), timer: FixedTimer()) == nil)
    for seconds in ["9223372036854775807", "9223372036854775808", String(repeating: "9", count: 40)] {
      let ages = status(503, retryAfter: seconds)
      #expect(policy.delay(beforeRetry: 1, after: ages, timer: FixedTimer()) == nil)
    }
  }

  @Test func ignoresAnUnreadableRetryAfter() {
    let delay = policy.delay(beforeRetry: 1, after: status(503, retryAfter: "soon"), timer: FixedTimer())
    #expect(delay == .milliseconds(500))
  }

  @Test func showsAProblemOnOneLine() {
    let head = ResponseHead(
      status: 409, fields: [.init(name: "Content-Type", value: "application/problem+json")])
    let failure = StatusFailure(head: head, body: Array("{\"a\":\n\u{1B}[31m\"b\"}".utf8), url: "http://h/")
    #expect(failure.problem == "{\"a\":  [31m\"b\"}")
    #expect(failure.description.contains("409"))
    #expect(StatusFailure(head: ResponseHead(status: 500, fields: []), body: [1], url: "").problem == nil)
  }

  @Test func aCancelledTaskDoesNotWait() async {
    let task = Task { () -> TransferError? in
      do throws(TransferError) {
        try await SystemRetryTimer().wait(.seconds(1000))
        return nil
      } catch {
        return error
      }
    }
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(SystemRetryTimer().now > 1_700_000_000)
    #expect((0..<1).contains(SystemRetryTimer().fraction()))
  }
}
