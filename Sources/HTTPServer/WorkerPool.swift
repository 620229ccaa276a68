public import Platform

/// The threads that handlers' `.later` work runs on, where it may block. Jobs start in the order they came.
public final class WorkerPool: TaskExecutor {
  private let threads: WorkerThreads

  /// Starts `count` threads (at least one).
  public init(count: Int) throws(SystemError) {
    threads = try WorkerThreads(count: count, name: "worker")
  }

  /// Runs a task's next step on one of the threads.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.submit { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `body` on one of the threads, soon.
  public func run(_ body: @escaping @Sendable () -> Void) { threads.submit(body) }

  /// Does all that was handed in, then ends the threads and returns. Work that comes later runs on its caller's thread.
  public func shutdown() { threads.shutdown() }
}
