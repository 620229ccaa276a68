internal import DepotModel

/// One picture of the progress, as lines that fit a terminal.
struct ProgressFrame: Sendable {
  /// Games shown beside the total; more would push everything else off the screen.
  static let maximumGames = 8
  /// Columns of a bar: narrower where only that makes room for speed and time left, as on a terminal of 80 columns.
  static let barWidths = 6...24
  /// Columns for names: the least before a bar or a number is shown, and the most before a bar is made narrow for them.
  private static let nameWidths = 16...40

  let lines: [String]

  /// One line before it is fitted in: name, how much is done, and numbers, the last of which are left out first.
  private struct Row {
    let name: String
    let share: Double
    let numbers: [String]
  }

  /// `width`: columns there are. With colour the done part of a bar is green.
  init(_ state: ProgressState, width: Int, hasColour: Bool) {
    let failed = state.failed == 0 ? "" : ", \(state.failed) failed"
    // Shares of games, not of bytes: an update of a few bytes that unpacks a large package is work too.
    let begun = state.active.prefix(64).reduce(0) { $0 + Self.share($1) }
    let total = Row(
      name: "\(state.finished) of \(state.games) games\(failed)",
      share: state.games == 0 ? 1 : (Double(state.finished) + begun) / Double(state.games),
      numbers: Self.numbers(state.done, of: state.bytes, speed: state.speed))
    let games = state.active.prefix(Self.maximumGames).map { game in
      Row(
        name: "  \(game.id) \(game.version)",
        share: Self.share(game),
        numbers: game.isInstalling
          ? ["unpacking"] : Self.numbers(game.done, of: game.size, speed: game.speed))
    }
    lines = Self.fit([total] + games, columns: max(20, width - 1), hasColour: hasColour)
  }

  private static func share(_ game: ProgressState.Active) -> Double {
    game.size == 0 ? 1 : min(1, Double(game.done) / Double(game.size))
  }

  private static func numbers(_ done: Int64, of size: Int64, speed: Int64?) -> [String] {
    var numbers = ["\(ByteText.short(done)) of \(ByteText.short(size))"]
    guard let speed else { return numbers }
    numbers.append("\(ByteText.short(speed))/s")
    if let left = TimeText.left(max(0, size - done), speed: speed) { numbers.append("\(left) left") }
    return numbers
  }

  /// The numbers stand below each other. What goes first where there is little room: the last of them, then the bars, then the
  /// ends of the names.
  private static func fit(_ rows: [Row], columns: Int, hasColour: Bool) -> [String] {
    let widths = (0..<3).map { column in
      rows.map { $0.numbers.count > column ? $0.numbers[column].count : 0 }.max() ?? 0
    }
    let all = widths.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) }
    let longest = rows.map(\.name.count).max() ?? 0
    let name = min(max(longest, nameWidths.lowerBound), nameWidths.upperBound)
    let barWidth = min(max(columns - name - 7 - all, barWidths.lowerBound), barWidths.upperBound)
    let room = columns - nameWidths.lowerBound - 7 - barWidth
    let shown = (1...3).last { count in widths.prefix(count).reduce(0) { $0 + $1 + 2 } <= room } ?? 1
    return rows.map { row in
      let right = (0..<shown).map { column in
        let text = column < row.numbers.count ? row.numbers[column] : ""
        return "  " + String(repeating: " ", count: widths[column] - text.count) + text
      }.joined()
      return line(row, right: right, columns: columns, barWidth: barWidth, hasColour: hasColour)
    }
  }

  private static func line(
    _ row: Row, right: String, columns: Int, barWidth: Int, hasColour: Bool
  ) -> String {
    let room = columns - right.count
    guard room > 0 else { return String(right.drop { $0 == " " }.prefix(columns)) }
    let nameRoom = room >= barWidth + 7 + nameWidths.lowerBound ? room - barWidth - 7 : room
    var name = String(row.name.prefix(nameRoom))
    name += String(repeating: " ", count: nameRoom - name.count)
    guard nameRoom < room else { return name + right }
    let share = min(1, max(0, row.share))
    let filled = Int((share * Double(barWidth)).rounded(.down))
    let full = String(repeating: "█", count: filled)
    let empty = String(repeating: "░", count: barWidth - filled)
    let percent = "\(Int(share * 100))%"
    let pad = String(repeating: " ", count: 5 - percent.count)
    return "\(name) \(hasColour ? "\u{1b}[32m\(full)\u{1b}[0m" : full)\(empty) \(pad)\(percent)\(right)"
  }
}
