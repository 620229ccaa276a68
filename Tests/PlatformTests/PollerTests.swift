import Platform
import Testing

/// epoll and the eventfd that wakes it.
@Suite struct PollerTests {
  @Test func tellsWhatHappenedToWhom() throws {
    var poller = try Poller(capacity: 8)
    let (first, second) = (try EventSignal(), try EventSignal())
    try poller.add(first.number, .input, token: .max)
    try poller.add(second.number, .input, token: 2)
    #expect(poller.wait(milliseconds: 0) == 0)
    first.signal()
    #expect(poller.wait(milliseconds: 10_000) == 1)
    #expect(poller.event(0).token == .max)
    #expect(poller.event(0).isReadable)
    #expect(!poller.event(0).isWritable)
    #expect(!poller.event(0).isHangUp)
    // Level-triggered: it is told until it is taken.
    #expect(poller.wait(milliseconds: 0) == 1)
    #expect(first.clear())
    #expect(!first.clear())
    #expect(poller.wait(milliseconds: 0) == 0)
  }

  @Test func watchesForSomethingElse() throws {
    var poller = try Poller(capacity: 8)
    let signal = try EventSignal()
    signal.signal()
    try poller.add(signal.number, [], token: 1)
    #expect(poller.wait(milliseconds: 0) == 0)
    try poller.modify(signal.number, [.input, .output], token: 3)
    #expect(poller.wait(milliseconds: 0) == 1)
    #expect(poller.event(0).token == 3)
    #expect(poller.event(0).isReadable && poller.event(0).isWritable)
  }

  @Test func tellsOfAnArrivalOnce() throws {
    try SocketTests.withPair { accepted, client in
      var poller = try Poller(capacity: 8)
      try poller.add(accepted.number, .arrivals, token: 1)
      #expect(client.send([1], 0..<1) == .moved(1))
      #expect(poller.wait(milliseconds: 10_000) == 1)
      #expect(poller.event(0).isReadable && !poller.event(0).isInputEnded)
      // Nothing has been read, and nothing new has come.
      #expect(poller.wait(milliseconds: 0) == 0)
      #expect(client.send([2], 0..<1) == .moved(1))
      #expect(poller.wait(milliseconds: 10_000) == 1)
      try poller.modify(accepted.number, [], token: 1)
      try poller.modify(accepted.number, .arrivals, token: 1)
      #expect(poller.wait(milliseconds: 10_000) == 1)
      client.finishSending()
      #expect(poller.wait(milliseconds: 10_000) == 1)
      #expect(poller.event(0).isReadable && poller.event(0).isInputEnded && !poller.event(0).isHangUp)
      #expect(poller.wait(milliseconds: 0) == 0)
    }
  }

  @Test func forgetsADescriptorThatStaysOpen() throws {
    var poller = try Poller(capacity: 8)
    let signal = try EventSignal()
    signal.signal()
    poller.remove(signal.number)
    try poller.add(signal.number, [.input, .exclusive], token: 1)
    #expect(poller.wait(milliseconds: 10_000) == 1)
    #expect { try poller.modify(signal.number, .input, token: 1) } throws: {
      ($0 as? SystemError)?.errno == 22
    }
    poller.remove(signal.number)
    #expect(poller.wait(milliseconds: 0) == 0)
    try poller.add(signal.number, .input, token: 2)
    #expect(poller.wait(milliseconds: 10_000) == 1)
    #expect(poller.event(0).token == 2)
  }

  @Test func tellsAConnectionThatIsGone() throws {
    try SocketTests.withPair { accepted, client in
      var poller = try Poller(capacity: 8)
      try poller.add(accepted.number, .input, token: 1)
      client.finishSending()
      #expect(poller.wait(milliseconds: 10_000) == 1)
      // Half closed is readable, not gone.
      #expect(poller.event(0).isReadable && !poller.event(0).isHangUp)
      accepted.finishSending()
      #expect(poller.wait(milliseconds: 10_000) == 1)
      #expect(poller.event(0).isHangUp)
    }
  }

  @Test func refusesADescriptorThatIsNotOpen() throws {
    let poller = try Poller(capacity: 1)
    #expect(throws: SystemError.self) { try poller.add(-1, .input, token: 0) }
    let signal = try EventSignal()
    #expect(throws: SystemError.self) { try poller.modify(signal.number, .input, token: 0) }
  }

  @Test func wakesAPollerOnAnotherThread() throws {
    let signal = try EventSignal()
    let thread = try PosixThread(name: "waker") { for _ in 0..<1000 { signal.signal() } }
    var poller = try Poller(capacity: 1)
    try poller.add(signal.number, .input, token: 9)
    #expect(poller.wait(milliseconds: 10_000) == 1)
    thread.join()
    // A thousand signals are one wake-up.
    #expect(signal.clear())
    #expect(!signal.clear())
  }
}
