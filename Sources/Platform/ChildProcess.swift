internal import CLinux
internal import Glibc
internal import Synchronization

/// A program that this one started, in a process group of its own. Killed with all of its group when this value goes while
/// it still runs.
///
/// It reads nothing; what it writes to its output and to its errors goes to this program's errors. Safe to use from any
/// thread; one at a time waits.
public final class ChildProcess: Sendable {
  /// How a program ended.
  public enum End: Hashable, Sendable, CustomStringConvertible {
    /// By itself, with that code.
    case exited(Int32)
    /// By that signal.
    case killed(Int32)

    /// For people.
    public var description: String {
      switch self {
      case .exited(let code): "exited with \(code)"
      case .killed(let signal): "was ended by signal \(signal)"
      }
    }
  }

  private let identifier: pid_t
  /// Readable once the program has ended; negative where the kernel has no such thing (before 5.3).
  private let descriptor: FileDescriptor
  private let end = Mutex<End?>(nil)

  /// Starts the program that the first word names, looked up in `PATH` if it has no slash; the others are its arguments as
  /// they are. It sees `environment` and nothing else. Throws what posix_spawnp(3) says, that there is no such program, say.
  public init(_ words: [String], environment: [String: String]) throws(SystemError) {
    guard let program = words.first else { throw SystemError(errno: ENOENT, operation: "posix_spawnp") }
    let variables = environment.map { "\($0.key)=\($0.value)" }
    var process = pid_t()
    let failure = unsafe Self.withStrings(words) { arguments in
      unsafe Self.withStrings(variables) { environment in
        unsafe Self.withAttributes { actions, attributes in
          unsafe posix_spawnp(&process, program, actions, attributes, arguments, environment)
        }
      }
    }
    guard failure == 0 else { throw SystemError(errno: failure, operation: "start", path: program) }
    identifier = process
    descriptor = FileDescriptor(owning: clinux_pidfd_open(process))
  }

  deinit {
    guard end.withLock({ $0 == nil }) else { return }
    kill(by: SIGKILL)
    _ = reap(mayWait: true)
  }

  /// Waits until it has ended, at most so long; nil if it has not.
  public func wait(atMost limit: Duration) -> End? {
    let deadline = SystemClock.monotonicMilliseconds + Int64(limit / .milliseconds(1))
    while true {
      if let end = reap(mayWait: false) { return end }
      let left = deadline - SystemClock.monotonicMilliseconds
      guard left > 0 else { return nil }
      var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
      // Without a descriptor, which poll(2) leaves out then, there is nothing better than to look every now and then.
      _ = unsafe poll(&watched, 1, Int32(clamping: descriptor.number < 0 ? min(left, 50) : left))
    }
  }

  /// Asks it and all it started to end.
  public func terminate() { kill(by: SIGTERM) }

  /// Ends it and all it started.
  public func kill() { kill(by: SIGKILL) }

  private func kill(by signal: Int32) {
    // Once it was waited for, the number may be somebody else's.
    end.withLock { if $0 == nil { _ = Glibc.kill(-identifier, signal) } }
  }

  private func reap(mayWait: Bool) -> End? {
    end.withLock { end in
      if let end { return end }
      var status: Int32 = 0
      let found = retryingOnInterrupt { unsafe waitpid(identifier, &status, mayWait ? 0 : WNOHANG) }
      guard found == identifier else { return nil }
      // waitpid(2): the lower seven bits are the signal, or 0 for a program that ended by itself.
      end = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
      return end
    }
  }

  private static func withStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var copies = unsafe strings.map { unsafe strdup($0) }
    unsafe copies.append(nil)
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies)
  }

  /// The signals that this program blocks and ignores are its own affair.
  private static func withAttributes(
    _ body: (UnsafePointer<posix_spawn_file_actions_t>, UnsafePointer<posix_spawnattr_t>) -> Int32
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    return unsafe body(&actions, &attributes)
  }
}
