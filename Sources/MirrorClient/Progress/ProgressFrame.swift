/// One picture of the progress, as lines that fit a terminal.
struct ProgressFrame: Sendable {
  /// Games shown beside the total; more would push everything else off the screen.
  static let maximumGames = 8
  static let barWidth = 24

  let lines: [String]

  /// `width`: columns there are. With colour the done part of a bar is green.
  init(_ state: ProgressState, width: Int, hasColour: Bool) {
    let columns = max(20, width - 1)
    let failed = state.failed == 0 ? "" : ", \(state.failed) failed"
    // Games that need no fetching are part of the plan's bytes: the share of games tells more when little is fetched.
    let share = state.games == 0 ? 1 : Double(state.finished) / Double(state.games)
    let total = Self.line(
      left: "\(state.finished) of \(state.games) games\(failed)", share: share,
      right: "\(ByteText.short(state.done)) of \(ByteText.short(state.bytes))", columns: columns,
      hasColour: hasColour)
    lines =
      [total]
      + state.active.prefix(Self.maximumGames).map { game in
        let share = game.size == 0 ? 1 : Double(game.done) / Double(game.size)
        return Self.line(
          left: "  \(game.id) \(game.version)", share: share,
          right: game.isInstalling
            ? "unpacking" : "\(ByteText.short(game.done)) of \(ByteText.short(game.size))",
          columns: columns, hasColour: hasColour)
      }
  }

  /// What fits of: name, bar, numbers. The bar goes first when there is little room, then the end of the name.
  private static func line(
    left: String, share: Double, right: String, columns: Int, hasColour: Bool
  ) -> String {
    let rightText = "  \(right)"
    let room = columns - rightText.count
    guard room > 0 else { return String(right.prefix(columns)) }
    let bar = barWidth + 7
    let leftRoom = room >= bar + 20 ? room - bar : room
    var name = String(left.prefix(leftRoom))
    name += String(repeating: " ", count: leftRoom - name.count)
    guard leftRoom < room else { return name + rightText }
    let filled = Int((min(1, max(0, share)) * Double(barWidth)).rounded(.down))
    let full = String(repeating: "█", count: filled)
    let empty = String(repeating: "░", count: barWidth - filled)
    let percent = "\(Int(min(1, max(0, share)) * 100))%"
    let pad = String(repeating: " ", count: 5 - percent.count)
    return "\(name) \(hasColour ? "\u{1b}[32m\(full)\u{1b}[0m" : full)\(empty) \(pad)\(percent)\(rightText)"
  }
}
