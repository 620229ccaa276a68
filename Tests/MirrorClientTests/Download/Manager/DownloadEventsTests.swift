import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct DownloadEventsTests {
  private func receipt(_ number: Int, _ state: DownloadReceipt.State, written: Int64 = 0) throws
    -> DownloadReceipt
  {
    var receipt = DownloadReceipt(Download(url: try web("http://a.test/\(number)")), position: Int64(number))
    receipt.state = state
    receipt.written = written
    return receipt
  }

  @Test func progressIsReplacedAndTheLastStateStays() async throws {
    let channel = EventChannel()
    for written in 0..<10_000 {
      channel.send(
        DownloadEvent(change: .progress, receipt: try receipt(1, .downloading, written: Int64(written))))
    }
    #expect(channel.count == 1)
    channel.send(DownloadEvent(change: .state, receipt: try receipt(1, .completed, written: 10_000)))
    #expect(channel.count == 1)
    channel.finish()
    let event = await channel.next()
    #expect(event?.receipt.state == .completed && event?.change == .state)
    #expect(await channel.next() == nil)
  }

  @Test func whatWaitsIsBoundedHoweverOftenStatesChange() async throws {
    let channel = EventChannel()
    for round in 0..<1000 {
      for number in 0..<100 {
        channel.send(
          DownloadEvent(
            change: .state, receipt: try receipt(number, round % 2 == 0 ? .suspended : .willResume)))
      }
    }
    channel.send(DownloadEvent(change: .state, receipt: try receipt(7, .failed)))
    #expect(channel.count <= EventChannel.limit + 100)
    channel.finish()
    var last: [DownloadID: DownloadReceipt.State] = [:]
    while let event = await channel.next() { last[event.receipt.id] = event.receipt.state }
    #expect(last.count == 100)
    #expect(last.values.count { $0 == .willResume } == 99)
    #expect(last[try receipt(7, .none).id] == .failed)
  }

  @Test func eventsOfOneDownloadKeepTheirOrder() async throws {
    let channel = EventChannel()
    let states: [DownloadReceipt.State] = [
      .willResume, .downloading, .suspended, .willResume, .downloading, .completed,
    ]
    for state in states {
      channel.send(DownloadEvent(change: .state, receipt: try receipt(1, state)))
      channel.send(DownloadEvent(change: .state, receipt: try receipt(2, .suspended)))
    }
    channel.finish()
    var seen: [DownloadReceipt.State] = []
    while let event = await channel.next() {
      if event.receipt.download.url.hasSuffix("/1") { seen.append(event.receipt.state) }
    }
    #expect(seen == states)
  }

  @Test func severalObserversSeeEveryState() async throws {
    let bench = try ManagerBench()
    let server = try ScriptedServer { ServedFile(bytes: noise(1000)).answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url("/x.bin")))
    let all = manager.events()
    let own = [manager.events(of: one.id), manager.events(of: one.id)]
    let tasks = own.map { events in
      Task {
        var states: [DownloadReceipt.State] = []
        for await event in events where event.change == .state { states.append(event.receipt.state) }
        return states
      }
    }
    _ = try await manager.download(one)
    for task in tasks { #expect(await task.value == [.willResume, .downloading, .completed]) }
    try await manager.close()
    var changes: Set<DownloadReceipt.State> = []
    for await event in all { changes.insert(event.receipt.state) }
    #expect(changes == [.willResume, .downloading, .completed])
  }

  @Test func theFirstEventTellsHowThingsStand() async throws {
    let bench = try ManagerBench()
    let server = try ScriptedServer { ServedFile(bytes: [1, 2, 3]).answer($0) }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    _ = try await manager.download(one)
    var seen: [DownloadEvent] = []
    for await event in manager.events(of: one.id) { seen.append(event) }
    #expect(seen.map(\.receipt.state) == [.completed])
    #expect(seen.first?.receipt.progress == 1)
  }

  @Test func tellsProgressSpeedAndTimeLeft() async throws {
    let bench = try ManagerBench()
    let gate = Gate()
    let file = ServedFile(bytes: noise(1_048_576))
    let clock = bench.clock
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 1048576\r\n\r\n"),
        .call { clock.advance(1000) },
        .send(Array(file.bytes[..<524_288])), .call { gate.wait() }, .send(Array(file.bytes[524_288...])),
      ]
    }
    defer { server.stop() }
    let manager = try bench.manager()
    let one = Download(url: try web(server.url()))
    try await manager.resume(one)
    let half = try #require(await manager.wait(for: one.id) { $0.written == 524_288 })
    #expect(half.progress == 0.5)
    #expect(half.expected == 1_048_576)
    // Half a megabyte in the second that the clock went on.
    #expect(half.speed == 524_288)
    #expect(half.remaining == .seconds(1))
    gate.open()
    #expect(try await manager.outcome(of: one.id).speed == 0)
  }

  @Test func aCancelledObserverEndsAndDisturbsNobody() async throws {
    let bench = try ManagerBench()
    let manager = try bench.manager()
    let events = manager.events()
    let task = Task {
      for await _ in events { Issue.record("an event of nothing") }
      return true
    }
    task.cancel()
    #expect(await task.value)
    try await manager.close()
    for await _ in manager.events() { Issue.record("an event after the end") }
  }
}
