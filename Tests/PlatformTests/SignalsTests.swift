import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct SignalsTests {
  @Test func waitsForASignal() throws {
    let received = Mutex<[Signals.Signal?]>([])
    let thread = try PosixThread(name: "signals") {
      // This thread has every signal blocked, and only this thread is sent one.
      for signal in Signals.Signal.allCases { pthread_kill(pthread_self(), signal.rawValue) }
      for _ in Signals.Signal.allCases {
        received.withLock { $0.append(Signals.wait(for: Signals.Signal.allCases)) }
      }
    }
    thread.join()
    #expect(Set(received.withLock { $0 }) == Set(Signals.Signal.allCases))
  }

  @Test func blocksForThisThreadAndThoseItStarts() throws {
    let blocked = Mutex(false)
    let thread = try PosixThread(name: "blocker") {
      Signals.block([.user1])
      pthread_kill(pthread_self(), SIGUSR1)
      blocked.withLock { $0 = Signals.wait(for: [.user1]) == .user1 }
    }
    thread.join()
    #expect(blocked.withLock { $0 })
  }
}

@Suite struct ResourceLimitsTests {
  /// A sanitizer has a heap of its own, which takes no such advice.
  @Test(.disabled(if: Sanitizer.isActive)) func theHeapCanBeKeptSmall() {
    #expect(ResourceLimits.keepHeapSmall())
  }

  @Test func findsAtMostTheMachinesMemory() throws {
    let text = try File(path: "/proc/meminfo", mode: .read).bytes(at: 0, count: 64)
    let kibibytes = try #require(Int64(String(decoding: text, as: UTF8.self).split(separator: " ")[1]))
    #expect(ResourceLimits.memory > 1 << 20)
    // The kernel keeps some of it to itself in either count.
    #expect(ResourceLimits.memory <= (kibibytes << 10) + (64 << 20))
  }

  @Test func raisesTheDescriptorLimitToTheHardOne() {
    let before = ResourceLimits.descriptors
    let after = ResourceLimits.raiseDescriptors()
    #expect(after >= before)
    #expect(ResourceLimits.descriptors == after)
    #expect(ResourceLimits.raiseDescriptors() == after)
  }
}
