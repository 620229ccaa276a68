internal import FoundationEssentials

/// A moment in whole seconds since 1970-01-01T00:00:00Z, written as RFC 3339 in UTC.
public struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Seconds since the epoch, leap seconds not counted.
  public let seconds: Int64

  public init(seconds: Int64) { self.seconds = seconds }

  /// Nil unless `text` is an RFC 3339 time such as `2026-03-01T12:00:00Z`.
  public init?(_ text: String) {
    guard let date = try? Date(text, strategy: .iso8601) else { return nil }
    self.seconds = Int64(date.timeIntervalSince1970.rounded(.down))
  }

  /// The system clock's time.
  public static var now: Timestamp {
    Timestamp(seconds: Int64(Date().timeIntervalSince1970.rounded(.down)))
  }

  /// `2026-03-01T12:00:00Z`.
  public var description: String {
    Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }
}
