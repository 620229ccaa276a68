import DepotModel
import Platform
import Synchronization

/// How far an upload is, on one line of a terminal that is drawn anew at most ten times a second. Any thread.
final class UploadBar: Sendable {
  private struct State {
    var startedAt: Int64?
    var startBytes: Int64 = 0
    var drawnAt: Int64 = .min
    var isDrawn = false
  }

  private let name: String
  private let size: Int64
  private let hasColour: Bool
  private let state = Mutex(State())

  /// Nil where nobody looks at standard error, or its terminal cannot go back to a line's beginning. NO_COLOR
  /// (no-color.org) leaves the colour out.
  init?(_ name: String, size: Int64) {
    let environment = ThisProcess.environment
    guard Terminal.isTerminal(.error), environment["TERM"] != "dumb" else { return nil }
    self.name = name
    self.size = size
    hasColour = (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// So many bytes are there.
  func show(_ bytes: Int64, now: Int64 = SystemClock.monotonicMilliseconds) {
    let speed = state.withLock { state -> Int64?? in
      guard now - 100 >= state.drawnAt || bytes == size else { return nil }
      if state.startedAt == nil || bytes < state.startBytes {
        state.startedAt = now
        state.startBytes = bytes
      }
      state.drawnAt = now
      state.isDrawn = true
      let elapsed = now - (state.startedAt ?? now)
      return elapsed < 500 ? .some(nil) : .some((bytes - state.startBytes) * 1000 / elapsed)
    }
    guard let speed else { return }
    let line = Self.line(
      name, bytes, of: size, speed: speed, columns: (Terminal.width(of: .error) ?? 80) - 1,
      hasColour: hasColour)
    Terminal.write("\r\(line)\u{1b}[K", to: .error)
  }

  /// Takes the line away, before something else is written and at the end.
  func clear() {
    let wasDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if wasDrawn { Terminal.write("\r\u{1b}[K", to: .error) }
  }

  /// At most `columns` wide. What goes first where there is little room: the time left, the speed, the bar, the sizes.
  static func line(
    _ name: String, _ bytes: Int64, of size: Int64, speed: Int64?, columns: Int, hasColour: Bool
  ) -> String {
    let share = size == 0 ? 1 : Double(min(bytes, size)) / Double(size)
    let percent = "\(Int(share * 100))%"
    var numbers = ["\(ByteText.short(bytes)) of \(ByteText.short(size))"]
    if bytes == size {
      numbers.append("being checked")
    } else if let speed, speed > 0 {
      numbers.append("\(ByteText.short(speed))/s")
      let seconds = (size - bytes) / speed
      numbers.append(
        seconds < 60
          ? "\(seconds) s left" : seconds < 3600 ? "\(seconds / 60) min left" : "\(seconds / 3600) h left")
    }
    while true {
      let right = ([percent] + numbers).joined(separator: "  ")
      let bar = min(24, columns - name.count - right.count - 4)
      if bar >= 6 {
        let full = String(repeating: "█", count: Int(share * Double(bar)))
        let rest = String(repeating: "░", count: bar - full.count)
        return "\(name)  \(hasColour ? "\u{1b}[32m\(full)\u{1b}[0m" : full)\(rest)  \(right)"
      }
      guard numbers.isEmpty else {
        numbers.removeLast()
        continue
      }
      let plain = "\(name)  \(percent)"
      return plain.count <= columns ? plain : String(percent.prefix(max(0, columns)))
    }
  }
}
