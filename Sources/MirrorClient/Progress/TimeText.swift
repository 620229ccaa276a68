/// Times as people read them.
enum TimeText {
  /// `0:07`, `12:34`, `1:02:03`, or `over a day`: what `bytes` take at a speed. Nil when nothing moves.
  static func left(_ bytes: Int64, speed: Int64) -> String? {
    guard speed > 0 else { return nil }
    return clock(bytes / speed + (bytes % speed == 0 ? 0 : 1))
  }

  /// Of seconds.
  static func clock(_ seconds: Int64) -> String {
    guard seconds < 86_400 else { return "over a day" }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return hours == 0 ? "\(minutes):\(padded(rest))" : "\(hours):\(padded(minutes)):\(padded(rest))"
  }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
