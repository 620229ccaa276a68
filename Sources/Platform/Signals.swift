internal import CLinux
internal import Glibc

/// The signals a service acts on, taken by a thread that waits for them instead of by handlers.
public enum Signals {
  /// One that is waited for.
  public enum Signal: Int32, Sendable, CaseIterable {
    /// SIGHUP: read the certificates again, and reopen the logs.
    case hangUp = 1
    /// SIGINT: stop; asked for at a keyboard.
    case interrupt = 2
    /// SIGUSR1: reopen the logs.
    case user1 = 10
    /// SIGTERM: stop.
    case terminate = 15
  }

  /// Keeps the signals from interrupting this thread and all it starts from now on: call it first in `main`.
  public static func block(_ signals: [Signal]) {
    var set = mask(signals)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits until one of the signals, which must be blocked, comes; nil if the kernel refuses to wait for them.
  public static func wait(for signals: [Signal]) -> Signal? {
    var set = mask(signals)
    while true {
      var number: Int32 = 0
      let failure = unsafe sigwait(&set, &number)
      if failure == EINTR { continue }
      return failure == 0 ? Signal(rawValue: number) : nil
    }
  }

  /// One of the signals, which must be blocked, that came and waits to be taken; it stays.
  public static func pending(among signals: [Signal]) -> Signal? {
    var set = sigset_t()
    guard unsafe sigpending(&set) == 0 else { return nil }
    return signals.first { unsafe sigismember(&set, $0.rawValue) == 1 }
  }

  /// Sends a signal to this process.
  public static func send(_ signal: Signal) { _ = kill(getpid(), signal.rawValue) }

  /// Lets a write to a connection that is gone fail instead of ending the process: MSG_NOSIGNAL covers neither
  /// sendfile(2) nor OpenSSL.
  public static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  private static func mask(_ signals: [Signal]) -> sigset_t {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for signal in signals { _ = unsafe sigaddset(&set, signal.rawValue) }
    return set
  }
}
