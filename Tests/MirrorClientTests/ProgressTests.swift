import DepotModel
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct ProgressTests {
  private func state(_ events: SyncEvent...) -> ProgressState {
    var state = ProgressState()
    for event in events { state.take(event, at: 0) }
    return state
  }

  private func outcome(_ id: String, _ result: GameOutcome.Result) -> SyncEvent {
    .finished(GameOutcome(game: id, result: result, bytesFetched: 7))
  }

  @Test func addsUpWhatEventsTell() throws {
    let (a, one) = (try game("a"), try version("1"))
    let b = try game("b")
    let state = state(
      .planned(games: 3, bytes: 300), .fetching(a, one, size: 100), .fetched(a, bytes: 40),
      .fetching(b, one, size: 200), .fetched(b, bytes: 500), .installing(b, one),
      outcome("b", .installed(one)))
    #expect(state.done == 240 && state.finished == 1 && state.active.map(\.id) == [a])
  }

  @Test(arguments: [10, 30, 40, 60, 80, 200])
  func linesFitTheTerminal(width: Int) throws {
    let one = try version("1.0.0-beta")
    var progress = state(.planned(games: 20, bytes: 1 << 40))
    for number in 0..<20 {
      let id = try game("a-game-with-a-rather-long-name-\(number)")
      progress.take(.fetching(id, one, size: 1 << 30), at: 0)
      progress.take(.fetched(id, bytes: 23_456_789), at: 0)
      progress.take(.fetched(id, bytes: 123_456_789), at: 2_000)
    }
    let lines = ProgressFrame(progress, width: width, hasColour: false).lines
    #expect(lines.count == 1 + ProgressFrame.maximumGames)
    #expect(lines.allSatisfy { $0.count <= max(20, width - 1) })
    #expect(!lines.joined().contains("\u{1b}"))
    #expect(ProgressFrame(progress, width: 100, hasColour: true).lines[1].contains("\u{1b}[32m"))
  }

  @Test func speedAndTimeLeftStandWhereThereIsRoom() throws {
    let (a, one) = (try game("a"), try version("1"))
    var progress = state(.planned(games: 1, bytes: 100 << 20), .fetching(a, one, size: 100 << 20))
    // What an earlier run left comes at once, and is no speed.
    progress.take(.fetched(a, bytes: 60 << 20), at: 0)
    for second in 1...4 {
      progress.take(.fetched(a, bytes: Int64(60 + 5 * second) << 20), at: Int64(second) * 1000)
    }
    #expect(progress.speed == 5 << 20)
    let wide = ProgressFrame(progress, width: 120, hasColour: false).lines
    #expect(wide.allSatisfy { $0.hasSuffix("80.0 MiB of 100.0 MiB  5.0 MiB/s  0:04 left") }, "\(wide)")
    #expect(wide.allSatisfy { $0.contains("80%") }, "a game half done counts half of it")
    let usual = ProgressFrame(progress, width: 80, hasColour: false).lines
    #expect(usual.allSatisfy { $0.contains("█") && $0.hasSuffix("  5.0 MiB/s  0:04 left") }, "\(usual)")
    let narrow = ProgressFrame(progress, width: 60, hasColour: false).lines
    #expect(narrow.allSatisfy { $0.hasSuffix("80.0 MiB of 100.0 MiB") }, "\(narrow)")
    #expect(
      ProgressLine.total(progress) == "0 of 1 games, 80.0 MiB of 100.0 MiB, 5.0 MiB/s, 0:04 left")
  }

  @Test func aStandstillHasNoTimeLeft() {
    #expect(TimeText.left(5, speed: 0) == nil)
    #expect(TimeText.left(5, speed: 2) == "0:03")
  }

  @Test(
    arguments: zip(
      [0, 7, 59, 60, 754, 3600, 3723, 86_399, 86_400],
      ["0:00", "0:07", "0:59", "1:00", "12:34", "1:00:00", "1:02:03", "23:59:59", "over a day"]))
  func timesAreShort(seconds: Int64, text: String) {
    #expect(TimeText.clock(seconds) == text)
  }

  @Test func stepsAreLinesThatStay() throws {
    let (a, one) = (try game("a"), try version("1"))
    let events: [SyncEvent] = [
      .planned(games: 2, bytes: 2048), .fetching(a, one, size: 2048), .fetched(a, bytes: 1024),
      .installing(a, one),
      outcome("a", .updated(one, previous: try version("0"))), outcome("b", .failed(.download(reason: "no"))),
    ]
    let written = Mutex("")
    let clock = Mutex(Int64(0))
    let reporter = ProgressReporter(
      style: .lines, columns: { nil }, write: { text in written.withLock { $0 += text } },
      now: { clock.withLock { $0 } })
    for event in events {
      if case .fetched = event { clock.withLock { $0 += 11_000 } }
      reporter.observe(event)
    }
    reporter.end()
    #expect(
      written.withLock { $0 } == """
        2 games to look at, 2.0 KiB at most
        a 1: fetching 2.0 KiB
        0 of 2 games, 1.0 KiB of 2.0 KiB
        a 1: unpacking
        a 1: updated from 0, 7 B fetched
        b: failed: no

        """)
  }

  @Test func stepsScrollByAboveTheBars() throws {
    let written = Mutex("")
    let reporter = ProgressReporter(style: .bar(hasColour: false, steps: true), columns: { 80 }) { text in
      written.withLock { $0 += text }
    }
    reporter.observe(.planned(games: 1, bytes: 10))
    reporter.observe(outcome("a", .installed(try version("1"))))
    reporter.end()
    let text = written.withLock { $0 }
    #expect(text.contains("\u{1b}[1A\r\u{1b}[Ja 1: installed, 7 B fetched\n1 of 1 games"), "\(text)")
    #expect(text.hasSuffix("\u{1b}[1A\r\u{1b}[J"))
  }

  @Test(
    arguments: zip(
      [0, 1023, 1024, 1536, 1 << 20, 1_048_575, 5 << 30, 1 << 50],
      ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "1.0 MiB", "5.0 GiB", "1024.0 TiB"]))
  func bytesAreShort(bytes: Int64, text: String) {
    #expect(ByteText.short(bytes) == text)
  }

  @Test func barsAreDrawnOverThemselvesAndWiped() throws {
    let written = Mutex("")
    let reporter = ProgressReporter(style: .bar(hasColour: false, steps: false), columns: { 80 }) { text in
      written.withLock { $0 += text }
    }
    reporter.observe(.planned(games: 1, bytes: 10))
    reporter.observe(outcome("a", .installed(try version("1"))))
    reporter.end()
    reporter.end()
    let text = written.withLock { $0 }
    #expect(text.contains("0 of 1 games") && text.contains("1 of 1 games"))
    #expect(text.hasSuffix("\u{1b}[1A\r\u{1b}[J"))
  }

  @Test func jsonIsOneObjectALine() throws {
    let written = Mutex<[String]>([])
    let clock = Mutex(Int64(0))
    let reporter = ProgressReporter(
      style: .json, columns: { nil }, write: { text in written.withLock { $0.append(text) } },
      now: { clock.withLock { $0 } })
    let (a, one) = (try game("a"), try version("1"))
    reporter.observe(.planned(games: 1, bytes: 10))
    reporter.observe(.fetching(a, one, size: 10))
    reporter.observe(.fetched(a, bytes: 3))
    reporter.observe(.fetched(a, bytes: 4))
    clock.withLock { $0 += 1_000 }
    reporter.observe(.fetched(a, bytes: 10))
    reporter.observe(.installing(a, one))
    reporter.observe(outcome("a", .updated(try version("2"), previous: one)))
    reporter.observe(outcome("../x", .failed(.download(reason: "no"))))
    reporter.observe(outcome("a", .unchanged(one)))
    reporter.observe(outcome("a", .installed(one)))
    reporter.end()
    #expect(
      written.withLock { $0 }
        == [
          #"{"bytes":10,"event":"planned","games":1}"#,
          #"{"event":"fetching","gameId":"a","h5Version":"1","size":10}"#,
          #"{"bytes":3,"event":"fetched","gameId":"a"}"#, #"{"bytes":10,"event":"fetched","gameId":"a"}"#,
          #"{"event":"installing","gameId":"a","h5Version":"1"}"#,
          #"{"bytes":7,"event":"updated","gameId":"a","h5Version":"2","previous":"1"}"#,
          #"{"bytes":7,"error":"no","event":"failed","game":"../x"}"#,
          #"{"bytes":7,"event":"unchanged","gameId":"a","h5Version":"1"}"#,
          #"{"bytes":7,"event":"installed","gameId":"a","h5Version":"1"}"#,
        ].map { $0 + "\n" })
  }
}
