extension TransferEngine {
  /// One exchange in memory, tried again as `retries` says when the way to the server or its state may be better later.
  /// The last answer or failure counts: a refusal that stays is an answer with its status, not an error.
  public func fetch(
    _ request: FetchRequest, limit: Int, retries: RetryPolicy, timer: some RetryTimer
  ) async throws(TransferError) -> FetchResponse {
    var retry = 0
    while true {
      let outcome: Result<FetchResponse, TransferError>
      let failure: TransferError
      do throws(TransferError) {
        let response = try await fetch(request, limit: limit)
        guard let refusal = response.failure, refusal.isRetryable else { return response }
        outcome = .success(response)
        failure = refusal
      } catch {
        outcome = .failure(error)
        failure = error
      }
      retry += 1
      guard let delay = retries.delay(beforeRetry: retry, after: failure, timer: timer) else {
        return try outcome.get()
      }
      try await timer.wait(delay)
    }
  }
}
