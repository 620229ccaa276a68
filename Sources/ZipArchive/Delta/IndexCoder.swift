/// Codes the numbers and bytes of an index, each with what is known before it. Written once for both directions: what is
/// passed in is coded and given back by the encoder, and is of no matter to the decoder, which gives back what it reads.
struct IndexCoder<Coder: BinaryCoder> {
  /// What is coded: each has its own weights.
  enum Kind: Int, CaseIterable {
    case nameByte, form, formField, flag, width, mantissa, sizeClass, growth, fieldByte, textByte
  }

  var coder: Coder
  private var mixer: ContextMixer

  /// With as many slots as `bytes` of headers are worth.
  init(_ coder: Coder, bytes: Int) {
    self.coder = coder
    let wanted = Int.bitWidth - max(1, bytes).leadingZeroBitCount + 3
    mixer = ContextMixer(slotBits: min(max(wanted, 16), 22), kinds: Kind.allCases.count)
  }

  /// A number below `1 << bits`, given contexts that stand for what is known: each is used by itself.
  mutating func symbol(_ value: Int, bits: Int, _ kind: Kind, _ contexts: [UInt32]) -> Int {
    // What follows means nothing and is refused: it must not cost what a few bytes can announce.
    guard !coder.isExhausted else { return 0 }
    mixer.begin(kind: kind.rawValue)
    for context in contexts { mixer.add(context) }
    var node = 1
    for place in stride(from: bits - 1, through: 0, by: -1) {
      let bit = coder.code((value >> place) & 1, likelihood: mixer.likelihood(at: node))
      mixer.learn(bit)
      node = node << 1 | bit
    }
    return node - 1 << bits
  }

  /// Whether something is so.
  mutating func flag(_ value: Bool, _ what: Flag, _ contexts: UInt32...) -> Bool {
    let base = UInt32(what.rawValue) << 24
    return symbol(value ? 1 : 0, bits: 1, .flag, [base] + contexts.map { base &+ 1 &+ $0 &* 0x0100_0193 })
      == 1
  }

  /// What a flag is about.
  enum Flag: Int {
    case rawName, inOrder, sameField, sameContent, repetition, sameDistance, stored, noChecksum, sameTime,
      expectedEnd
  }

  /// Bits of which nothing is known.
  mutating func bits(_ value: UInt64, count: Int) -> UInt64 {
    var result: UInt64 = 0
    for place in stride(from: count - 1, through: 0, by: -1) {
      let bit = coder.code(Int(value >> UInt64(place) & 1), likelihood: 0x8000)
      result = result << 1 | UInt64(bit)
    }
    return result
  }

  /// Any number: its width first, then its upper bits as they are known, and the rest as it is.
  mutating func number(_ value: UInt64, _ what: Number, _ first: UInt32 = 0, _ second: UInt32 = 0) -> UInt64 {
    let base = UInt32(what.rawValue) << 24
    let width = symbol(
      value == 0 ? 0 : 64 - value.leadingZeroBitCount, bits: 7, .width,
      [base, base &+ 1 &+ first &* 0x0100_0193, base &+ 2 &+ (first &* 31 &+ second) &* 0x0100_01B3])
    guard width > 1, width <= 64 else { return UInt64(min(width, 1)) }
    var result: UInt64 = 1
    let known = width <= 9 ? width - 1 : 3
    for place in 0..<known {
      let at = base &+ UInt32(width) << 16 &+ UInt32(truncatingIfNeeded: result)
      let bit = symbol(
        Int(value >> UInt64(width - 2 - place) & 1), bits: 1, .mantissa,
        [at, at &+ (1 &+ first) &* 0x0100_0193])
      result = result << 1 | UInt64(bit)
    }
    let rest = width - 1 - known
    return result << UInt64(rest) | bits(value, count: rest)
  }

  /// What a number is.
  enum Number: Int {
    case foldersLeft, fieldValue, distance, step, time, accessTime, length, rank, count
  }

  /// A number on either side of 0, which is the likeliest.
  mutating func difference(_ value: Int64, _ what: Number, _ first: UInt32 = 0, _ second: UInt32 = 0) -> Int64
  {
    let folded = UInt64(bitPattern: value &<< 1 ^ value &>> 63)
    let coded = number(folded, what, first, second)
    return Int64(bitPattern: coded >> 1) ^ -Int64(bitPattern: coded & 1)
  }

  /// `count` bytes that are like `expected`, as far as it goes.
  mutating func text(_ bytes: [UInt8], count: Int, like expected: [UInt8] = []) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var recent: UInt32 = 0
    for index in 0..<count {
      let guess: UInt32 = index < expected.count ? UInt32(expected[index]) + 1 : 0
      let byte = symbol(
        index < bytes.count ? Int(bytes[index]) : 0, bits: 8, .textByte,
        [guess, guess << 8 | recent & 0xFF, recent & 0xFFFF | 0x1_0000, recent & 0xFF_FFFF | 0x100_0000])
      result.append(UInt8(byte))
      recent = recent << 8 | UInt32(byte)
    }
    return result
  }

  /// At most `limit` bytes, and how many.
  mutating func text(
    _ bytes: [UInt8], atMost limit: Int, like expected: [UInt8] = []
  ) throws(IndexError) -> [UInt8] {
    let usual = UInt64(expected.count)
    let count = usual ^ number(UInt64(bytes.count) ^ usual, .length, UInt32(min(usual, 255)))
    guard count <= UInt64(max(0, limit)) else { throw .damaged("\(count) bytes where \(limit) are left") }
    return text(bytes, count: Int(count), like: expected)
  }
}
