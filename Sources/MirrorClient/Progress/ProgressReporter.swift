internal import DepotModel
internal import Platform
internal import Synchronization

/// Shows the events of a sync: as bars that are drawn over themselves, or as JSON, one object a line.
public final class ProgressReporter: Sendable {
  /// How progress is told.
  public enum Style: Sendable, Hashable {
    /// Bars on a terminal so wide; `columns` is asked for each picture, since windows change. With `steps`, lines that
    /// stay scroll by above them.
    case bar(hasColour: Bool, steps: Bool)
    /// A line for each step that stays, and how far all is every ten seconds.
    case lines
    /// One JSON object a line.
    case json
  }

  private struct State {
    var progress = ProgressState()
    var linesDrawn = 0
    var lastDrawn: Int64?
  }

  /// Milliseconds between two lines that tell how far all is.
  static let lineInterval = Int64(10_000)

  /// Milliseconds between two pictures, or two lines of one game's progress.
  static let interval = Int64(100)

  private let style: Style
  private let columns: @Sendable () -> Int?
  private let write: @Sendable (String) -> Void
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// Writes through `write`, which is called with whole lines and control sequences, from any thread, one at a time.
  public convenience init(
    style: Style, columns: @escaping @Sendable () -> Int?, write: @escaping @Sendable (String) -> Void
  ) {
    self.init(style: style, columns: columns, write: write) { SystemClock.monotonicMilliseconds }
  }

  init(
    style: Style, columns: @escaping @Sendable () -> Int?, write: @escaping @Sendable (String) -> Void,
    now: @escaping @Sendable () -> Int64
  ) {
    self.style = style
    self.columns = columns
    self.write = write
    self.now = now
  }

  /// Takes one event: hand this to `Mirror.sync` as its observer.
  public func observe(_ event: SyncEvent) {
    state.withLock { state in
      let time = now()
      state.progress.take(event, at: time)
      let isPassing = if case .fetched = event { true } else { false }
      if isPassing, let last = state.lastDrawn, time - last < Self.interval { return }
      switch style {
      case .bar(let hasColour, let steps):
        let step = steps ? ProgressLine.text(event) : nil
        if step == nil, let last = state.lastDrawn, time - last < Self.interval,
          !state.progress.active.isEmpty
        {
          return
        }
        state.lastDrawn = time
        draw(&state, hasColour: hasColour, above: step)
      case .lines:
        if let step = ProgressLine.text(event) {
          write(step + "\n")
        } else if let last = state.lastDrawn, time - last >= Self.lineInterval {
          write(ProgressLine.total(state.progress) + "\n")
          state.lastDrawn = time
        }
        if state.lastDrawn == nil { state.lastDrawn = time }
      case .json:
        if isPassing { state.lastDrawn = time }
        writeLine(event)
      }
    }
  }

  /// Wipes the bars: call it before anything else is written to the terminal.
  public func end() {
    state.withLock { state in
      guard state.linesDrawn > 0 else { return }
      write(Self.wipe(state.linesDrawn))
      state.linesDrawn = 0
    }
  }

  private func draw(
    _ state: inout State, hasColour: Bool, above step: String?
  ) {
    let frame = ProgressFrame(state.progress, width: columns() ?? 80, hasColour: hasColour)
    let lines = [step].compactMap(\.self) + frame.lines
    write(Self.wipe(state.linesDrawn) + lines.map { $0 + "\n" }.joined())
    state.linesDrawn = frame.lines.count
  }

  /// ECMA-48: CUU goes up, ED wipes what is below.
  private static func wipe(_ lines: Int) -> String { lines == 0 ? "" : "\u{1b}[\(lines)A\r\u{1b}[J" }

  private struct Line: Encodable {
    var event: String
    var gameId: GameID?
    var game: String?
    var h5Version: H5Version?
    var previous: H5Version?
    var games: Int?
    var bytes: Int64?
    var size: Int64?
    var error: String?
  }

  private func writeLine(_ event: SyncEvent) {
    let line: Line =
      switch event {
      case .planned(let games, let bytes): Line(event: "planned", games: games, bytes: bytes)
      case .fetching(let id, let version, let size):
        Line(event: "fetching", gameId: id, h5Version: version, size: size)
      case .fetched(let id, let bytes): Line(event: "fetched", gameId: id, bytes: bytes)
      case .installing(let id, let version): Line(event: "installing", gameId: id, h5Version: version)
      case .finished(let outcome): Self.line(outcome)
      }
    // A line is a handful of strings and numbers: encoding it cannot fail.
    guard let bytes = try? JSON.encode(line) else { return }
    write(String(decoding: bytes, as: UTF8.self) + "\n")
  }

  private static func line(_ outcome: GameOutcome) -> Line {
    var line = Line(event: "finished", game: outcome.game, bytes: outcome.bytesFetched)
    switch outcome.result {
    case .installed(let version): (line.event, line.h5Version) = ("installed", version)
    case .updated(let version, let previous):
      (line.event, line.h5Version, line.previous) = ("updated", version, previous)
    case .unchanged(let version): (line.event, line.h5Version) = ("unchanged", version)
    case .removed(let version): (line.event, line.previous) = ("removed", version)
    case .failed(let error): (line.event, line.error) = ("failed", error.description)
    }
    line.gameId = GameID(outcome.game)
    if line.gameId != nil { line.game = nil }
    return line
  }
}
