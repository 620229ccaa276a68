public import DepotModel
public import HTTPClient
internal import Platform

extension Mirror {
  /// Waits between two syncs: about `interval`, a fifth more or less, so that mirrors do not come together; less when the
  /// depot lets its clients wait for a change and there is one.
  ///
  /// `afterFailure`: the last sync was not what it should be; then the whole time is waited, lest a depot that
  /// always has something new be asked without end. Throws `cancelled` when the task is.
  public func waitForChange(
    _ server: DepotServer, engine: TransferEngine, channel: ChannelName, interval: Duration,
    afterFailure: Bool
  ) async throws(MirrorError) {
    // Without a mirror that can be read there is nothing to ask for, and the next sync tells why.
    let point = afterFailure ? nil : try? catalogueState()
    let question = point.flatMap {
      ChangeQuestion(server: server.url, engine: engine, token: server.token, channel: channel, point: $0)
    }
    let wait = ChangeWait(
      ask: { (seconds) async throws(TransferError) in
        try await question?.ask(wait: seconds) ?? .failed
      }, timer: SystemRetryTimer(), clock: { SystemClock.monotonicMilliseconds },
      longest: question == nil ? 0 : ChangeQuestion.longest(engine.settings.stallTimeout))
    do throws(TransferError) { try await wait.run(interval: interval) } catch { throw .cancelled }
  }
}
