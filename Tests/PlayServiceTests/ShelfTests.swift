import ReadAPI
import Synchronization
import Testing

@testable import PlayService

@Suite struct ShelfTests {
  private final class Counter: Sendable {
    private let made = Mutex(0)
    var count: Int { made.withLock { $0 } }
    func next() -> Int {
      made.withLock {
        $0 += 1
        return $0
      }
    }
  }

  private let counter = Counter()

  private func value(_ key: String, on shelf: Shelf<String, Int>, weight: Int = 1) async throws(Problem)
    -> Int
  {
    try await shelf.value(for: key, weight: { _ in weight }) { () throws(Problem) in counter.next() }
  }

  @Test func makesAValueOnceAndKeepsIt() async throws {
    let shelf = Shelf<String, Int>(room: 10)
    #expect(try await value("a", on: shelf) == 1)
    #expect(try await value("a", on: shelf) == 1)
  }

  @Test func whatWasUnusedForLongestGoesFirst() async throws {
    let shelf = Shelf<String, Int>(room: 2)
    for key in ["a", "b", "a", "c", "a"] { _ = try await value(key, on: shelf) }
    #expect(counter.count == 3)
    #expect(try await value("b", on: shelf) == 4)
  }

  @Test func whatIsLargerThanTheShelfIsMadeAnew() async throws {
    let shelf = Shelf<String, Int>(room: 2)
    #expect(try await value("a", on: shelf, weight: 3) == 1)
    #expect(try await value("a", on: shelf, weight: 3) == 2)
  }

  @Test func whoAsksWhileItIsMadeGetsThatOne() async throws {
    let shelf = Shelf<String, Int>(room: 2)
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    let (begun, began) = AsyncStream.makeStream(of: Void.self)
    let counter = counter
    let first = Task {
      try await shelf.value(for: "a", weight: { _ in 1 }) { () throws(Problem) in
        began.finish()
        for await _ in gate {}
        return counter.next()
      }
    }
    for await _ in begun {}
    let second = Task { try await value("a", on: shelf) }
    opened.finish()
    #expect(try await first.value == 1)
    #expect(try await second.value == 1)
  }

  @Test func aFailureIsToldAndTheNextOneTriesAgain() async throws {
    let shelf = Shelf<String, Int>(room: 2)
    await #expect(throws: Problem.self) {
      try await shelf.value(for: "a", weight: { _ in 1 }) { () throws(Problem) in
        throw Problem(.unavailable, "not now")
      }
    }
    #expect(try await value("a", on: shelf) == 1)
  }
}
