/// Bytes a second over the last seconds: a mean that neither jumps with each chunk nor remembers a stall for long.
struct SpeedMeter: Sendable {
  /// What counts; older bytes do not.
  private static let window = Duration.seconds(8)
  /// A speed told earlier would be chance.
  private static let least = Duration.seconds(1)

  private var samples: [(time: ContinuousClock.Instant, total: Int64)] = []
  private var total: Int64 = 0

  /// `bytes` came; none at the time when counting begins.
  mutating func add(_ bytes: Int64, at time: ContinuousClock.Instant) {
    total += bytes
    samples.append((time, total))
    // One from before the window stays: the window begins between it and the next.
    while samples.count > 2, time - samples[1].time > Self.window { samples.removeFirst() }
    if samples.count > 256 {
      // Fine enough for a mean over seconds.
      samples = samples.enumerated().compactMap {
        $0.offset % 2 == 0 || $0.offset == samples.count - 1 ? $0.element : nil
      }
    }
  }

  /// Nil before there is anything to tell.
  func speed(at time: ContinuousClock.Instant) -> Int64? {
    guard let first = samples.first else { return nil }
    let span = time - first.time
    guard span >= Self.least else { return nil }
    return Int64(Double(total - first.total) / (span / .seconds(1)))
  }
}
