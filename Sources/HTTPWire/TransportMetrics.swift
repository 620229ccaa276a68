/// What a server has done since it started, as sums that only grow.
public struct TransportMetrics: Sendable, Hashable {
  /// Answers of one kind and status.
  public struct Answers: Sendable, Hashable {
    /// `HTTPResponse.kind`.
    public var kind: UInt8
    /// 100…599.
    public var status: Int

    /// Both.
    public init(kind: UInt8, status: Int) {
      self.kind = kind
      self.status = status
    }
  }

  /// Upper ends of the times that answers are sorted by, in microseconds; the last sort has none.
  public static let timeLimits: [Int64] = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000,
  ]

  /// How many answers of each kind and status were made.
  public var answers: [Answers: UInt64] = [:]
  /// Answers by the time from a request's arrival until its answer was made, one more than `timeLimits`.
  public var times = [UInt64](repeating: 0, count: timeLimits.count + 1)
  /// Microseconds, of all of them.
  public var time: UInt64 = 0
  /// Bytes from clients: heads, bodies and framing, after decryption.
  public var received: UInt64 = 0
  /// Bytes to clients, before encryption.
  public var sent: UInt64 = 0
  /// Connections that were accepted.
  public var accepted: UInt64 = 0
  /// Those of them for which there was no room.
  public var refused: UInt64 = 0
  /// Connections that are open now.
  public var open = 0

  /// Nothing yet.
  public init() {}

  /// Adds what another loop did.
  public mutating func add(_ other: TransportMetrics) {
    answers.merge(other.answers, uniquingKeysWith: +)
    for index in times.indices { times[index] += other.times[index] }
    time += other.time
    received += other.received
    sent += other.sent
    accepted += other.accepted
    refused += other.refused
    open += other.open
  }
}
