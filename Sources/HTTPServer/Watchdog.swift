internal import HTTPWire
public import Platform
internal import Synchronization

/// Tells whoever started the service that it is alive, as long as all loops are: one that hangs lets the service manager end
/// and restart it.
public final class Watchdog: Sendable {
  private let thread: PosixThread
  private let hasEnded: EventSignal

  /// Tells twice in each period; nil unless `manager` watches. Throws when no thread can be made.
  public init?(_ server: HTTPServer, _ manager: ServiceManager) throws(SystemError) {
    guard let period = manager.watchdog else { return nil }
    let ended = try EventSignal()
    hasEnded = ended
    thread = try PosixThread(name: "watchdog") {
      while !ended.wait(for: period / 2) {
        // A loop shows itself once a second at least.
        if server.areLoopsAlive(within: max(period, .seconds(3))) { manager.alive() }
      }
    }
  }

  /// Ends it: a server that stops says so itself.
  public func end() {
    hasEnded.signal()
    thread.join()
  }
}
