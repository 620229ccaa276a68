import CommandOptions
import DepotModel
import MirrorClient
import Platform
import Synchronization

/// Runs a program for each game that changed, one after the other, beside the sync.
///
/// It is told by variables, since versions and ids are no place for a shell to look at: `H5_CHANGE` (`installed`,
/// `updated`), `H5_GAME_ID`, `H5_VERSION`, `H5_PREVIOUS_VERSION` (when updated) and `H5_DEST`. Our own settings, which may hold a
/// token, are kept from it.
final class ChangeHook: Sendable {
  /// After that time a program is ended, and the next one starts.
  static let limit = Duration.seconds(600)

  private struct Call {
    let game: String
    let variables: [String: String]
  }

  private struct State {
    var due: [Call] = []
    var running: ChildProcess?
    var isStopped = false
    var failures: [String] = []
  }

  private let words: [String]
  private let variables: [String: String]
  private let limit: Duration
  private let state = Mutex(State())
  private let arrival = Semaphore()

  /// Words of `command` are separated by blanks; the first is the program.
  init(_ command: String, destination: String, environment: [String: String], limit: Duration = limit) {
    words = command.split(whereSeparator: \.isWhitespace).map(String.init)
    variables = environment.filter { !$0.key.hasPrefix(Commands.program.variablePrefix) }
      .merging(["H5_DEST": destination]) { $1 }
    self.limit = limit
  }

  /// Takes one event of a sync; returns at once.
  func observe(_ event: SyncEvent) {
    guard case .finished(let outcome) = event, let call = Self.call(outcome) else { return }
    state.withLock { $0.due.append(call) }
    arrival.signal()
  }

  /// Runs what is due until `finish` or `stop`: for a thread of its own.
  func run() {
    while true {
      arrival.wait()
      guard let call = next() else { return }
      do throws(SystemError) {
        let child = try ChildProcess(words, environment: variables.merging(call.variables) { $1 })
        let isStopped = state.withLock { state in
          state.running = child
          return state.isStopped
        }
        if isStopped { child.terminate() }
        judge(child.wait(atMost: limit), child, call)
      } catch {
        fail(call, "\(error)")
      }
      state.withLock { $0.running = nil }
    }
  }

  /// No more will come: `run` returns when all that are due are done.
  func finish() {
    arrival.signal()
  }

  /// Ends the one that runs, and runs no more.
  func stop() {
    let running = state.withLock { state in
      state.isStopped = true
      return state.running
    }
    running?.terminate()
    arrival.signal()
  }

  /// What went wrong, one line each, when `run` has returned.
  var failures: [String] {
    state.withLock { state in
      state.failures + state.due.map { "\($0.game): --on-change was not run" }
    }
  }

  private func next() -> Call? {
    state.withLock { $0.isStopped || $0.due.isEmpty ? nil : $0.due.removeFirst() }
  }

  private func judge(_ end: ChildProcess.End?, _ child: ChildProcess, _ call: Call) {
    switch end {
    case .exited(0): return
    case nil:
      child.kill()
      fail(call, "did not end within \(limit)")
    case let end?: fail(call, "\(end)")
    }
  }

  private func fail(_ call: Call, _ reason: String) {
    state.withLock { $0.failures.append("\(call.game): --on-change: \(reason)") }
  }

  private static func call(_ outcome: GameOutcome) -> Call? {
    var variables = ["H5_GAME_ID": outcome.game]
    switch outcome.result {
    case .installed(let version):
      variables["H5_CHANGE"] = "installed"
      variables["H5_VERSION"] = version.text
    case .updated(let version, let previous):
      variables["H5_CHANGE"] = "updated"
      variables["H5_VERSION"] = version.text
      variables["H5_PREVIOUS_VERSION"] = previous.text
    case .removed(let previous):
      variables["H5_CHANGE"] = "removed"
      variables["H5_PREVIOUS_VERSION"] = previous?.text
    case .unchanged, .failed: return nil
    }
    return Call(game: outcome.game, variables: variables)
  }
}
