/// How many bytes a second may come, by the time of day.
///
/// Written as a size (`2M`), as windows (`08:00-22:00=1M`), or as both, separated by commas: the first window that the
/// time of day lies in counts, else the size that stands alone, else there is no limit. A window goes up to, but not
/// into, its second time, and over midnight when that is the earlier one. `0` is no limit.
public struct RateSchedule: Sendable, Hashable {
  /// A part of the day.
  struct Window: Sendable, Hashable {
    /// Minutes since midnight.
    let start: Int
    let end: Int
    let rate: Int64

    func contains(_ minute: Int) -> Bool {
      start <= end ? (start..<end).contains(minute) : minute >= start || minute < end
    }
  }

  /// What a schedule looks like, for messages.
  public static let syntax = "a size such as 2M, or windows such as 08:00-22:00=1M, separated by commas"

  private let windows: [Window]
  /// 0: none.
  private let otherwise: Int64

  /// Reads it; `size` reads the sizes, nil for what is none. Nil for anything else than what is described above.
  public init?(_ text: String, size: (String) -> Int64?) {
    var windows: [Window] = []
    var otherwise: Int64?
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let last = sides.last, let rate = size(String(last)) else { return nil }
      if sides.count == 1 {
        guard otherwise == nil else { return nil }
        otherwise = rate
      } else {
        let times = sides[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
        guard times.count == 2, let start = times[0], let end = times[1], start != end else { return nil }
        windows.append(Window(start: start, end: end, rate: rate))
      }
    }
    self.windows = windows
    self.otherwise = otherwise ?? 0
  }

  /// Bytes a second at a time of day in minutes since midnight; nil for as many as come.
  public func rate(atMinute minute: Int) -> Int64? {
    let rate = windows.first { $0.contains(minute) }?.rate ?? otherwise
    return rate == 0 ? nil : rate
  }

  /// Of `8:05` or `08:05`; 24:00 is the end of the day.
  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60
    else { return nil }
    let total = hour * 60 + minute
    return total <= 24 * 60 ? total : nil
  }
}
