import DepotModel
import Foundation
import SQLite
import Synchronization
import Testing

@testable import Catalogue

/// A number that several threads count in.
private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

@Suite struct ConcurrencyTests {
  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test func readersSeeWholeTransactionsWhileTwoProcessesWrite() throws {
    let fixture = fixture
    let other = try fixture.another()
    let finished = Counter()
    let readers = [fixture.catalogue, other, fixture.catalogue].map { reader in
      { @Sendable in
        var last: Int64 = 0
        while finished.value < 2 {
          let page = try reader.games(channel: .stable, after: nil, limit: 1000, matching: nil)
          // Each revision brought one game, so what is listed tells what the revision must be.
          #expect(Int64(page.releases.count) == page.revision)
          #expect(page.revision >= last)
          last = page.revision
          let changes = try reader.changes(since: last, channel: .stable, after: nil, limit: 1000)
          #expect(Int64(changes.changed.count) == changes.revision - last)
        }
      }
    }
    let writers = [fixture.catalogue, other].enumerated().map { number, writer in
      { @Sendable in
        defer { finished.increment() }
        for count in 0..<25 {
          try fixture.publish("g\(number)-\(count)", "1", into: writer)
        }
      }
    }
    inThreads(readers + writers)
    #expect(try fixture.catalogue.revision() == 50)
    #expect(try fixture.catalogue.integrityCheck().isEmpty)
  }

  @Test func manyPublishersOfOneVersionMakeOneRelease() throws {
    let fixture = fixture
    let published = Counter()
    inThreads(
      Array(
        repeating: {
          for _ in 0..<10 {
            guard case .published = try fixture.publish("a", "1", seed: 1) else { continue }
            published.increment()
          }
        }, count: 4))
    #expect(published.value == 1)
    #expect(try fixture.catalogue.revision() == 1)
  }

  @Test func moreReadersThanConnectionsAllGetAnswers() throws {
    try fixture.publish("a", "1")
    let fixture = fixture
    let answers = Counter()
    inThreads(
      Array(
        repeating: {
          for _ in 0..<200 where try fixture.stable("a")?.version.text == "1" { answers.increment() }
        }, count: Catalogue.readerCount * 4))
    #expect(answers.value == Catalogue.readerCount * 4 * 200)
  }

  @Test func aReaderDoesNotWaitForAWriter() throws {
    try fixture.publish("a", "1")
    let other = try Database(path: fixture.path, mode: .readWrite(create: false))
    try other.transaction { () throws(SQLiteError) in
      try other.run("UPDATE games SET title = 'later'")
      #expect((try? fixture.stable("a"))??.title == "a")
      #expect((try? fixture.catalogue.changeToken()) != nil)
    }
    #expect(try fixture.stable("a")?.title == "later")
  }

  @Test func manyOpenANewFileAtOnce() throws {
    for round in 0..<5 {
      let path = fixture.folder.appending(path: "new\(round).sqlite").path
      let box = Identities()
      inThreads(Array(repeating: { try box.insert(Catalogue(path: path).identity) }, count: 6))
      #expect(box.count == 1)
    }
  }
}

private final class Identities: Sendable {
  private let seen = Mutex<Set<String>>([])

  var count: Int { seen.withLock { $0.count } }
  func insert(_ identity: String) { seen.withLock { _ = $0.insert(identity) } }
}

/// Runs each body in a thread of its own, not a task: a body that waits must not keep another from starting.
private func inThreads(_ bodies: [@Sendable () throws -> Void]) {
  let group = DispatchGroup()
  for body in bodies {
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      do { try body() } catch { Issue.record("\(error)") }
    }
  }
  #expect(group.wait(timeout: .now() + 120) == .success)
}
