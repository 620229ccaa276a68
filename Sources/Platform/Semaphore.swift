internal import Glibc

/// A count that threads wait for (sem_overview(7)). Blocks the thread: not for use in tasks.
@safe public final class Semaphore: Sendable {
  // Written by the sem_ functions alone, which are made for several threads.
  private nonisolated(unsafe) let pointer: UnsafeMutablePointer<sem_t>

  /// Starts with nothing to take.
  public init() {
    unsafe pointer = .allocate(capacity: 1)
    unsafe sem_init(pointer, 0, 0)
  }

  deinit {
    unsafe sem_destroy(pointer)
    unsafe pointer.deallocate()
  }

  /// Lets one waiting thread, or the next to come, go on.
  public func signal() { unsafe sem_post(pointer) }

  /// Returns when there is something to take, and takes it.
  public func wait() { _ = retryingOnInterrupt { unsafe sem_wait(pointer) } }
}
