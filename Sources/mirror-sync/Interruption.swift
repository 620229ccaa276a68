import Platform
import Synchronization

/// SIGINT and SIGTERM, taken by the main thread, which does nothing else: the first one stops what runs, a second ends the
/// process at once.
///
/// The main thread must not await at its top level: the runtime would park it in sigsuspend(2) with every signal
/// unblocked, and the first one would end the process without a word.
final class Interruption: Sendable {
  private struct State {
    var caught: Signals.Signal?
    var stop: (@Sendable () -> Void)?
  }

  private static let signals: [Signals.Signal] = [.interrupt, .terminate]
  private let state = Mutex(State())

  /// Keeps the signals from every thread that is started from now on.
  init() { Signals.block(Self.signals) }

  /// 130 or 143 once a signal came.
  var exitCode: Int32? { state.withLock { $0.caught }.map { 128 + $0.rawValue } }

  /// `stop` is what a signal does from now on; at once when one came already.
  func onSignal(_ stop: @escaping @Sendable () -> Void) {
    let isCaught = state.withLock { state in
      state.stop = stop
      return state.caught != nil
    }
    if isCaught { stop() }
  }

  /// Waits for signals as long as the process runs.
  func watch() -> Never {
    while let signal = Signals.wait(for: Self.signals) {
      let (isFirst, stop) = state.withLock { state in
        defer { state.caught = state.caught ?? signal }
        return (state.caught == nil, state.stop)
      }
      guard isFirst else { ThisProcess.exit(128 + signal.rawValue) }
      stop?()
    }
    // The kernel refuses to wait only for a set it does not know.
    ThisProcess.exit(70)
  }
}
