import Glibc
import Platform
import Synchronization

/// SIGINT and SIGTERM, taken by a thread that waits for them: the first one runs `stop`, a second ends the process at once.
final class Interruption: Sendable {
  private static let signals: [Signals.Signal] = [.interrupt, .terminate]
  private let caught = Mutex<Signals.Signal?>(nil)

  /// Call it before any thread is started that could take the signals itself.
  static func block() { Signals.block(signals) }

  /// 130 or 143 once a signal came.
  var exitCode: Int32? { caught.withLock { $0 }.map { 128 + $0.rawValue } }

  /// Starts to wait.
  func watch(stop: @escaping @Sendable () -> Void) throws(SystemError) {
    _ = try PosixThread(name: "signals") { [self] in
      guard let first = Signals.wait(for: Self.signals) else { return }
      caught.withLock { $0 = first }
      stop()
      guard let second = Signals.wait(for: Self.signals) else { return }
      Glibc.exit(128 + second.rawValue)
    }
  }
}
