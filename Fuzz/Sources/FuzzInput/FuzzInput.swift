/// One input of the fuzzer: the bytes as they would be on the wire, and ways to cut them that depend on nothing else.
public struct FuzzInput {
  /// All of it.
  public let bytes: [UInt8]

  /// Copies what libFuzzer lends.
  public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// The input at once, byte by byte, and in pieces whose sizes change with every change of the input: what follows
  /// from an input must not depend on its cuts.
  public var cuttings: [[Range<Int>]] {
    var random = self.random
    return [
      Self.pieces(of: bytes.count) { bytes.count },
      Self.pieces(of: bytes.count) { 1 },
      Self.pieces(of: bytes.count) { 1 + random.next(below: 7) },
      Self.pieces(of: bytes.count) { 1 + random.next(below: 64) },
    ]
  }

  /// Numbers that follow from the bytes.
  public var random: InputNumbers { InputNumbers(bytes) }

  private static func pieces(of count: Int, _ size: () -> Int) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(start + size(), count)
      pieces.append(start..<end)
      start = end
    }
    return pieces
  }
}

/// Numbers without any order, the same for the same bytes (SplitMix64, seeded by FNV-1a).
public struct InputNumbers {
  private var state: UInt64

  init(_ bytes: [UInt8]) {
    state = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// The next one, from 0 up to `bound`, which is positive.
  public mutating func next(below bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ mixed >> 31) % UInt64(bound))
  }
}

/// Ends the run with a finding unless the property holds.
public func hold(_ property: Bool, _ name: @autoclosure () -> String, line: Int = #line) {
  guard !property else { return }
  fatalError("does not hold (line \(line)): \(name())")
}
