/// How fast bytes come: over the last five seconds.
struct SpeedMeter: Sendable {
  private struct Sample: Sendable {
    let at: Int64
    var bytes: Int64
  }

  /// Milliseconds.
  private static let window: Int64 = 5_000
  /// Two samples are at least so far apart, in milliseconds; those between count for the later one.
  private static let step: Int64 = 100

  private var samples: [Sample] = []
  private var latest: Sample?

  /// So many bytes are here at this time, in milliseconds; fewer than before begin anew.
  mutating func note(_ bytes: Int64, at now: Int64) {
    if let latest, bytes < latest.bytes { samples = [] }
    latest = Sample(at: now, bytes: bytes)
    if let last = samples.last, now - last.at < Self.step { return }
    samples.append(Sample(at: now, bytes: bytes))
    // One from before the window stays: without it there is nothing to subtract.
    while samples.count > 2, now - samples[1].at >= Self.window { samples.removeFirst() }
  }

  /// Bytes a second; 0 until two samples can be compared.
  var bytesPerSecond: Int64 {
    guard let first = samples.first, let latest, latest.at > first.at else { return 0 }
    let product = (latest.bytes - first.bytes).multipliedReportingOverflow(by: 1000)
    guard !product.overflow else { return .max }
    return product.partialValue / (latest.at - first.at)
  }
}
