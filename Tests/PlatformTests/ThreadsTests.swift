import Platform
import Synchronization
import Testing

@Suite struct ThreadsTests {
  @Test func joinsAThreadOnceItIsDone() throws {
    let done = Atomic(false)
    let thread = try PosixThread(name: "a-name-longer-than-fifteen-bytes") {
      done.store(true, ordering: .relaxed)
    }
    thread.join()
    let isDone = done.load(ordering: .relaxed)
    #expect(isDone)
    thread.join()
  }

  @Test func countsWhatWasSignalled() throws {
    let semaphore = Semaphore()
    for _ in 0..<3 { semaphore.signal() }
    for _ in 0..<3 { semaphore.wait() }
    let thread = try PosixThread(name: "signaller") { semaphore.signal() }
    semaphore.wait()
    thread.join()
  }

  @Test func runsJobsInOrderAndAllOfThemBeforeItEnds() async throws {
    let threads = try WorkerThreads(count: 1, name: "test")
    let seen = Mutex<[Int]>([])
    for number in 0..<3000 { threads.submit { seen.withLock { $0.append(number) } } }
    #expect(await threads.run { seen.withLock { $0.count } } == 3000)
    await #expect(throws: SystemError.self) {
      try await threads.run { () throws(SystemError) in throw SystemError(errno: 5, operation: "work") }
    }
    threads.submit { seen.withLock { $0.append(3000) } }
    threads.shutdown()
    threads.submit { seen.withLock { $0.append(3001) } }
    #expect(seen.withLock { $0 } == Array(0...3001))
  }
}
