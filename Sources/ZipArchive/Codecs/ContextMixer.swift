/// Foretells the next bit from several contexts at once: each remembers what came after it, and a small linear net that
/// learns on the way weighs what they say (M. Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression",
/// 2005). Integers throughout, so that every machine comes to the same foretelling.
///
/// Its memory is fixed at `init`: 2 bytes for each of `1 << slotBits` slots, and some 300 KB.
struct ContextMixer {
  /// Contexts at a time, at most.
  static let inputs = 10

  /// What was seen after a context: how likely 1 is, in 4,096ths, above a count that ends at 15.
  private var slots: [UInt16]
  private let slotShift: UInt32
  /// How likely 1 is, in 65,536ths, where a slot stood so, for each input of each kind.
  private var experience: [UInt16]
  private var weights: [Int32]

  private var contexts = [UInt32](repeating: 0, count: inputs)
  private var count = 0
  private var kind = 0

  // Of the foretelling that `learn` is about.
  private var touched = [Int](repeating: 0, count: inputs)
  private var rows = [Int](repeating: 0, count: inputs)
  private var stretched = [Int32](repeating: 0, count: inputs)
  private var weightRow = 0
  private var expected: Int32 = 0

  private static let states = 1024
  private static let initialWeight: Int32 = 22_000
  private static let learning: Int32 = 12
  /// Far beyond what comes up: no input may make a weight overflow.
  private static let weightLimit: Int32 = 1 << 24

  init(slotBits: Int, kinds: Int) {
    slots = [UInt16](repeating: 0x8000, count: 1 << slotBits)
    slotShift = UInt32(32 - slotBits)
    experience = [UInt16](repeating: 0, count: kinds * Self.inputs * Self.states)
    for index in experience.indices {
      // Of a state: six bits of likelihood above four of the count.
      experience[index] = UInt16((index % Self.states) >> 4) << 10 | 0x200
    }
    weights = [Int32](
      repeating: Self.initialWeight, count: kinds * (Self.inputs + 1) * Self.inputs)
  }

  /// Begins a symbol: forgets the contexts of the last one.
  mutating func begin(kind: Int) {
    self.kind = kind
    count = 0
  }

  /// Adds one context of the symbol, as a number that stands for it.
  mutating func add(_ context: UInt32) {
    var hash =
      context &* 0x9E37_79B1 &+ UInt32(truncatingIfNeeded: kind * Self.inputs + count + 1) &* 0x85EB_CA6B
    hash ^= hash >> 15
    contexts[count] = hash &* 0xC2B2_AE35
    count += 1
  }

  /// How likely 1 is, in 65,536ths, at a node of the symbol's tree.
  mutating func likelihood(at node: Int) -> UInt32 {
    var seen = 0
    for input in 0..<count {
      var hash = contexts[input] ^ (UInt32(truncatingIfNeeded: node) &* 0x27D4_EB2F)
      hash ^= hash >> 15
      hash &*= 0x2C1B_3C6D
      hash ^= hash >> 13
      let index = Int((hash &* 0x297A_2D39) >> slotShift)
      let slot = slots[index]
      touched[input] = index
      let state = Int(slot >> 10) << 4 | Int(slot & 15)
      let row = (kind * Self.inputs + input) * Self.states + state
      rows[input] = row
      if slot & 15 == 0 {
        stretched[input] = 0
      } else {
        seen += 1
        stretched[input] = Logistic.stretch(Int(experience[row] >> 4))
      }
    }
    weightRow = (kind * (Self.inputs + 1) + seen) * Self.inputs
    var sum: Int64 = 0
    for input in 0..<count { sum += Int64(weights[weightRow + input]) * Int64(stretched[input]) }
    expected = Logistic.squash(Int32(clamping: sum >> 16))
    return UInt32(expected) << 4
  }

  /// Takes in what the bit was.
  mutating func learn(_ bit: Int) {
    let error = (Int32(bit) << 12 - expected) * Self.learning
    for input in 0..<count {
      let weight = weights[weightRow + input] + (stretched[input] * error + 0x8000) >> 16
      weights[weightRow + input] = min(max(weight, -Self.weightLimit), Self.weightLimit)
      let row = rows[input]
      let known = Int32(experience[row])
      experience[row] = UInt16(clamping: known + ((bit == 1 ? 65_535 : 0) - known) / 40)
      let slot = slots[touched[input]]
      let likely = Int32(slot >> 4)
      let seen = Int(slot & 15)
      let target: Int32 = bit == 1 ? 4095 : 0
      let moved = likely + (target - likely) * Self.rates[seen] / 65_536
      slots[touched[input]] = UInt16(moved) << 4 | UInt16(min(15, seen + 1))
    }
  }

  /// How far a slot goes towards what it sees, in 65,536ths, by what it has seen.
  private static let rates: [Int32] = (0..<16).map { Int32(65_536.0 / (Double($0) + 1.6)) }
}

/// Likelihoods in 4,096ths, and the same as logarithms of odds in 256ths.
enum Logistic {
  /// ln(p / (1 - p)), -2,047…2,047.
  static func stretch(_ likelihood: Int) -> Int32 { Int32(table[likelihood]) }

  /// 1 / (1 + e^-x), 1…4,095.
  static func squash(_ odds: Int32) -> Int32 {
    if odds > 2047 { return 4095 }
    if odds < -2047 { return 1 }
    let weight = odds & 127
    let index = Int(odds >> 7) + 16
    return (curve[index] * (128 - weight) + curve[index + 1] * weight + 64) >> 7
  }

  /// At every 128th of -2,048…2,048, made so once and for all: what a machine's own exponential gives may differ.
  private static let curve: [Int32] = [
    1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348, 3607, 3785,
    3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
  ]

  /// The inverse of `squash`.
  private static let table: [Int16] = {
    var table = [Int16](repeating: 2047, count: 4096)
    var next = 0
    for odds in -2047...2047 {
      let likelihood = Int(squash(Int32(odds)))
      if likelihood >= next {
        for index in next...likelihood { table[index] = Int16(odds) }
        next = likelihood + 1
      }
    }
    return table
  }()
}
