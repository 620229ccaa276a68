internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread that runs one closure. Every signal is blocked in it: only the thread that waits for signals gets any.
@safe public final class PosixThread: Sendable {
  private let handle: Mutex<pthread_t?>

  /// Starts the thread. `name` shows in `ps` and `gdb`; 15 bytes of it are kept.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var everySignal = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&everySignal)
    // A new thread inherits the mask of the one that makes it.
    unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &before)
    var thread = pthread_t()
    let failure = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        unsafe clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard failure == 0 else {
      unsafe start.release()
      throw SystemError(errno: failure, operation: "pthread_create", path: nil)
    }
    handle = Mutex(thread)
  }

  deinit {
    guard let thread = handle.withLock({ $0.take() }) else { return }
    pthread_detach(thread)
  }

  /// Returns when the closure has; at once when somebody joined before, and in the thread itself.
  public func join() {
    let thread = handle.withLock { handle -> pthread_t? in
      guard let thread = handle, pthread_equal(thread, pthread_self()) == 0 else { return nil }
      handle = nil
      return thread
    }
    guard let thread else { return }
    pthread_join(thread, nil)
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
