internal import HTTPWire

/// What one loop has done. Plain numbers: no other thread sees them but as a copy of about a second ago.
struct LoopCounters {
  /// Statuses of a kind, 100…599.
  private static let statuses = 500

  /// By kind, then status. Kinds are few, and made room for when they come up.
  private var answers: [UInt64] = []
  private var times = [UInt64](repeating: 0, count: TransportMetrics.timeLimits.count + 1)
  private var time: UInt64 = 0
  /// Answers that were made in this wake-up, whose time is told at its end.
  private var made: UInt64 = 0
  var received: UInt64 = 0
  var sent: UInt64 = 0
  var accepted: UInt64 = 0
  var refused: UInt64 = 0

  /// An answer was made in the wake-up that brought its request.
  mutating func count(kind: UInt8, status: Int) {
    add(kind, status)
    made &+= 1
  }

  /// An answer was made so many nanoseconds after its request came.
  mutating func count(kind: UInt8, status: Int, after nanoseconds: Int64) {
    add(kind, status)
    add(1, of: nanoseconds)
  }

  /// A wake-up is over that took so many nanoseconds; whatever was answered in it took no longer.
  mutating func endWake(after nanoseconds: Int64) {
    add(made, of: nanoseconds)
    made = 0
  }

  /// Whether the time of this wake-up matters.
  var hasAnswered: Bool { made > 0 }

  private mutating func add(_ kind: UInt8, _ status: Int) {
    let place = Int(kind) * Self.statuses + min(max(status, 100), 599) - 100
    if place >= answers.count {
      answers += Array(repeating: 0, count: (Int(kind) + 1) * Self.statuses - answers.count)
    }
    answers[place] &+= 1
  }

  private mutating func add(_ count: UInt64, of nanoseconds: Int64) {
    let microseconds = max(0, nanoseconds) / 1000
    let limits = TransportMetrics.timeLimits
    times[limits.firstIndex { microseconds <= $0 } ?? limits.count] &+= count
    time &+= count &* UInt64(microseconds)
  }

  /// Everything until now.
  func metrics(open: Int) -> TransportMetrics {
    var metrics = TransportMetrics()
    for (place, count) in answers.enumerated() where count > 0 {
      let kind = UInt8(place / Self.statuses)
      metrics.answers[.init(kind: kind, status: place % Self.statuses + 100)] = count
    }
    metrics.times = times
    metrics.time = time
    metrics.received = received
    metrics.sent = sent
    metrics.accepted = accepted
    metrics.refused = refused
    metrics.open = open
    return metrics
  }
}
