internal import Synchronization

/// A fixed number of threads for work that blocks: disk, digests, unpacking. Jobs start in the order they came.
public final class WorkerThreads: Sendable {
  private let queue: Queue
  private let threads: [PosixThread]

  /// Starts `count` threads (at least one).
  public init(count: Int, name: String) throws(SystemError) {
    let queue = Queue()
    var threads: [PosixThread] = []
    do throws(SystemError) {
      for number in 0..<max(1, count) {
        threads.append(try PosixThread(name: "\(name)-\(number)") { queue.run() })
      }
    } catch {
      queue.stop(threads: threads.count)
      throw error
    }
    self.queue = queue
    self.threads = threads
  }

  deinit { queue.stop(threads: threads.count) }

  /// Runs `job` on one of the threads, soon; after `shutdown`, on the caller's.
  public func submit(_ job: @escaping @Sendable () -> Void) { queue.add(job) }

  /// Runs `body` on one of the threads and returns what it gave, without blocking a thread that tasks run on.
  public func run<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
      submit {
        do throws(Failure) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Does every job that was submitted, then ends the threads and returns.
  public func shutdown() {
    queue.stop(threads: threads.count)
    for thread in threads { thread.join() }
  }

  private final class Queue: Sendable {
    private struct State {
      var jobs: [@Sendable () -> Void] = []
      var taken = 0
      var isStopped = false
    }

    private let state = Mutex(State())
    private let available = Semaphore()

    func add(_ job: @escaping @Sendable () -> Void) {
      let isQueued = state.withLock { state in
        if !state.isStopped { state.jobs.append(job) }
        return !state.isStopped
      }
      guard isQueued else { return job() }
      available.signal()
    }

    /// A signal without a job ends one thread.
    func stop(threads: Int) {
      state.withLock { $0.isStopped = true }
      for _ in 0..<threads { available.signal() }
    }

    func run() {
      while true {
        available.wait()
        guard let job = next() else { return }
        job()
      }
    }

    private func next() -> (@Sendable () -> Void)? {
      state.withLock { state in
        guard state.taken < state.jobs.count else { return nil }
        let job = state.jobs[state.taken]
        state.taken += 1
        if state.taken == state.jobs.count {
          state.jobs.removeAll(keepingCapacity: true)
          state.taken = 0
        } else if state.taken >= 1024 {
          state.jobs.removeFirst(state.taken)
          state.taken = 0
        }
        return job
      }
    }
  }
}
