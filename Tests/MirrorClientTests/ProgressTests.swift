import DepotModel
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct ProgressTests {
  private func state(_ events: SyncEvent...) -> ProgressState {
    var state = ProgressState()
    for event in events { state.take(event) }
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
      progress.take(.fetching(id, one, size: 1 << 30))
      progress.take(.fetched(id, bytes: 123_456_789))
    }
    let lines = ProgressFrame(progress, width: width, hasColour: false).lines
    #expect(lines.count == 1 + ProgressFrame.maximumGames)
    #expect(lines.allSatisfy { $0.count <= max(20, width - 1) })
    #expect(!lines.joined().contains("\u{1b}"))
    #expect(ProgressFrame(progress, width: 100, hasColour: true).lines[1].contains("\u{1b}[32m"))
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
    let reporter = ProgressReporter(style: .bar(hasColour: false), columns: { 80 }) { text in
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
    let clock = Mutex(ContinuousClock.now)
    let reporter = ProgressReporter(
      style: .json, columns: { nil }, write: { text in written.withLock { $0.append(text) } },
      now: { clock.withLock { $0 } })
    let (a, one) = (try game("a"), try version("1"))
    reporter.observe(.planned(games: 1, bytes: 10))
    reporter.observe(.fetching(a, one, size: 10))
    reporter.observe(.fetched(a, bytes: 3))
    reporter.observe(.fetched(a, bytes: 4))
    clock.withLock { $0 += .seconds(1) }
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
