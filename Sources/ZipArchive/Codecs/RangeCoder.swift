/// Codes one yes-or-no decision after the other, each at the price of how unlikely it was: an arithmetic coder whose two
/// directions have one face, so that a format is written down once for both.
protocol BinaryCoder {
  /// Whether it makes bytes.
  static var isEncoder: Bool { get }
  /// More was asked for than the input can have held; what was coded since means nothing.
  var isExhausted: Bool { get }

  /// Codes a decision of which `likelihood` in 65,536 (1…65,535) says how likely it is to be 1. The encoder takes `bit` and
  /// gives it back; the decoder looks at nothing but its input.
  mutating func code(_ bit: Int, likelihood: UInt32) -> Int
}

/// The end of an interval of 64 bits that both directions narrow in the same way (G. N. N. Martin, "Range encoding", 1979,
/// without carries).
private struct Interval {
  var low: UInt64 = 0
  var high = UInt64.max

  /// Where the interval divides: up to it lies 1, beyond it 0.
  func middle(_ likelihood: UInt32) -> UInt64 {
    let range = high - low
    return low + (range >> 16) * UInt64(likelihood) + ((range & 0xFFFF) * UInt64(likelihood)) >> 16
  }

  mutating func take(_ bit: Int, _ middle: UInt64) {
    if bit == 1 { high = middle } else { low = middle + 1 }
  }

  /// Both ends begin with the same byte.
  var hasSettledByte: Bool { (low ^ high) >> 56 == 0 }

  mutating func shift() {
    low <<= 8
    high = high << 8 | 0xFF
  }
}

/// The direction that makes bytes.
struct RangeEncoder: BinaryCoder {
  static let isEncoder = true
  let isExhausted = false

  private var interval = Interval()
  private var output: [UInt8]

  /// Appends to `output`.
  init(_ output: [UInt8]) { self.output = output }

  mutating func code(_ bit: Int, likelihood: UInt32) -> Int {
    interval.take(bit, interval.middle(likelihood))
    while interval.hasSettledByte {
      output.append(UInt8(interval.high >> 56))
      interval.shift()
    }
    return bit
  }

  /// All bytes, with as few at the end as tell the interval: a decoder reads zeros behind them.
  consuming func finish() -> [UInt8] {
    for count in 0...8 {
      let free = count == 8 ? 0 : UInt64.max >> UInt64(count * 8)
      let (sum, overflows) = interval.low.addingReportingOverflow(free)
      let value = sum & ~free
      if !overflows, value <= interval.high {
        for index in 0..<count { output.append(UInt8(truncatingIfNeeded: value >> UInt64(56 - index * 8))) }
        break
      }
    }
    return output
  }
}

/// The direction that reads bytes.
struct RangeDecoder: BinaryCoder {
  static let isEncoder = false

  private var interval = Interval()
  private var value: UInt64 = 0
  private let input: [UInt8]
  private var next: Int
  /// Bytes asked for after the end of the input: so many zeros may have been left out.
  private var missing = 0
  var isExhausted: Bool { missing > 8 }

  /// Reads `input` from `start` on.
  init(_ input: [UInt8], from start: Int) {
    self.input = input
    next = start
    for _ in 0..<8 { value = value << 8 | UInt64(takeByte()) }
  }

  mutating func code(_ bit: Int, likelihood: UInt32) -> Int {
    let middle = interval.middle(likelihood)
    let bit = value <= middle ? 1 : 0
    interval.take(bit, middle)
    while interval.hasSettledByte {
      interval.shift()
      value = value << 8 | UInt64(takeByte())
    }
    return bit
  }

  /// Bytes of the input that nothing has asked for.
  var unread: Int { input.count - next }

  private mutating func takeByte() -> UInt8 {
    guard next < input.count else {
      missing += 1
      return 0
    }
    defer { next += 1 }
    return input[next]
  }
}
