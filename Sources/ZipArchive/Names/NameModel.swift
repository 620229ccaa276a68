internal import Platform

/// How likely bytes are as a name in one encoding: a character by its place among those that names use, and what may stand
/// beside what.
///
/// Likelihoods are negative logarithms, in nats, of estimated shares: models of different encodings can be compared, and sums
/// be taken over names. Shares of what is no common character are those of the blocks its standard has put it in: GB 2312,
/// Big5 and JIS X 0208 keep the characters of daily use in a first level, KS X 1001 its syllables.
struct NameModel: Sendable {
  /// A character at some place of a name, or a byte that begins none.
  private struct Step {
    let length: Int
    let cost: Double
  }

  /// What a character is to its neighbours.
  private enum Kind: Int { case separator, letter, native }

  let encoding: NamesEncoding
  /// By byte pair, or by byte.
  private let common: [UInt16: Double]
  /// `[before][after]` of `Kind`.
  private let passage: [[Double]]

  /// What a byte costs that begins no character.
  private static let broken = 25.0
  /// A character of private use, or where the standard has none.
  private static let stray = 18.0
  /// One of two dozen separators, one of the letters: the same in all models, but a letter that is the second byte of a
  /// character is none.
  private static let separator = 2.7
  private static let letter = 3.3
  /// Few tools write backslashes, and many characters have one for their second byte.
  private static let backslash = 5.7

  /// The models that are tried, CP437 last: it takes any bytes.
  static let all: [NameModel] = [
    NameModel(
      .gb18030, [(CommonCharacters.simplifiedChinese, 0.88), (CommonCharacters.traditionalChinese, 0.04)],
      flat: 30),
    NameModel(.big5, [(CommonCharacters.traditionalChinese, 0.9)], flat: 30),
    NameModel(.shiftJIS, [(CommonCharacters.japanese, 0.9)], flat: 30),
    NameModel(.eucKR, [(CommonCharacters.korean, 0.95)], flat: 30),
    NameModel(.cp437, [(CommonCharacters.western, 0.95)], flat: 1),
  ]

  /// Of all characters beyond ASCII each list has its share, falling with the rank by Zipf's law, which `flat` flattens for the
  /// first ones.
  private init(_ encoding: NamesEncoding, _ lists: [(characters: String, share: Double)], flat: Double) {
    self.encoding = encoding
    // A C library without the encoding cannot read such names either: whoever decodes them will be told.
    let encoder = try? TextConverter(from: "UTF-8", to: encoding.converterNames.first ?? "")
    var common: [UInt16: Double] = [:]
    for (characters, share) in lists {
      let codes = characters.unicodeScalars.map { encoder?.convert(Array(String($0).utf8)) ?? [] }
      let sum = codes.indices.reduce(0) { $0 + 1 / (Double($1) + flat) }
      for (rank, bytes) in codes.enumerated() where (1...2).contains(bytes.count) {
        let cost = Self.logarithm((Double(rank) + flat) * sum / share)
        let code = bytes.reduce(0) { $0 << 8 | UInt16($1) }
        common[code] = min(cost, common[code] ?? cost)
      }
    }
    self.common = common
    passage =
      encoding == .cp437
      // A word has letters around its umlaut or accent …
      ? [[1.6, 0.25, 3.9], [1.6, 0.29, 3.0], [1.7, 0.22, 3.9]]
      // … and characters stand together, apart from Latin words.
      : [[1.4, 1.2, 0.8], [1.8, 0.22, 3.5], [1.6, 3.0, 0.29]]
  }

  /// The natural one, of a positive number, to a millionth; the standard library has none.
  private static func logarithm(_ number: Double) -> Double {
    let t = (number.significand - 1) / (number.significand + 1)
    let series = t * (1 + t * t * (1 / 3 + t * t * (1 / 5 + t * t * (1 / 7 + t * t / 9))))
    return 2 * series + Double(number.exponent) * 0.693_147_180_56
  }

  /// Of one component of a path.
  func cost(of name: [UInt8]) -> Double {
    var total = 0.0
    var before = Kind.separator
    var last: UInt8 = 0
    var rest = name[...]
    while let byte = rest.first {
      var after = Kind.native
      if byte < 0x80 {
        after = isLetter(byte) ? .letter : .separator
        total +=
          after == .letter ? Self.letter : byte == UInt8(ascii: "\\") ? Self.backslash : Self.separator
        rest = rest.dropFirst()
      } else {
        let step = step(byte, after: last, rest.dropFirst().first, rest.dropFirst(2))
        total += step.cost
        rest = rest.dropFirst(step.length)
      }
      total += passage[before.rawValue][after.rawValue]
      before = after
      last = byte
    }
    return total
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private func step(
    _ lead: UInt8, after last: UInt8, _ trail: UInt8?, _ behind: ArraySlice<UInt8>
  ) -> Step {
    switch encoding {
    case .utf8: return Step(length: 1, cost: Self.broken)
    case .cp437:
      return Step(length: 1, cost: common[UInt16(lead)] ?? (Self.capitals850.contains(lead) ? 7.6 : 11.5))
    case .shiftJIS where (0xA1...0xDF).contains(lead):
      // Half-width katakana are rare, and come together.
      return Step(length: 1, cost: (0xA1...0xDF).contains(last) ? 5 : 11)
    case .gb18030, .big5, .shiftJIS, .eucKR: break
    }
    guard let trail else { return Step(length: 1, cost: Self.broken) }
    let code = UInt16(lead) << 8 | UInt16(trail)
    if let cost = common[code] { return Step(length: 2, cost: cost) }
    if encoding == .gb18030, (0x81...0xFE).contains(lead), (0x30...0x39).contains(trail) {
      // GB 18030: four bytes, the second and the fourth a digit.
      let isWhole = behind.first.map { (0x81...0xFE).contains($0) } ?? false
      return Step(length: isWhole ? min(4, 2 + behind.count) : 1, cost: isWhole ? 20 : Self.broken)
    }
    guard let cost = Self.block(encoding, lead, trail, code) else {
      return Step(length: 1, cost: Self.broken)
    }
    return Step(length: 2, cost: cost)
  }

  /// Accented capitals, ø and õ that code page 850 has where CP437 has frames: German and French Windows wrote zips so.
  private static let capitals850: Set<UInt8> = [
    0xB5, 0xB6, 0xB7, 0xC6, 0xD2, 0xD3, 0xD4, 0xD6, 0xD7, 0xD8, 0xE0, 0xE2, 0xE4, 0xE9, 0xEA, 0xEB, 0x9B,
    0x9D,
  ]

  /// The share of a pair's block over the characters in it; nil when no pair begins so.
  private static func block(_ encoding: NamesEncoding, _ lead: UInt8, _ trail: UInt8, _ code: UInt16)
    -> Double?
  {
    switch (encoding, lead, trail) {
    case (.gb18030, 0x81...0xFE, 0x40...0x7E), (.gb18030, 0x81...0xFE, 0x80...0xFE):
      return gb18030(lead, trail)
    case (.big5, 0x81...0xFE, 0x40...0x7E), (.big5, 0x81...0xFE, 0xA1...0xFE): return big5(code)
    case (.shiftJIS, 0x81...0x9F, 0x40...0x7E), (.shiftJIS, 0x81...0x9F, 0x80...0xFC),
      (.shiftJIS, 0xE0...0xFC, 0x40...0x7E), (.shiftJIS, 0xE0...0xFC, 0x80...0xFC):
      return shiftJIS(lead, code)
    case (.eucKR, 0x81...0xC6, 0x41...0x5A), (.eucKR, 0x81...0xC6, 0x61...0x7A),
      (.eucKR, 0x81...0xC6, 0x81...0xFE), (.eucKR, 0xC7...0xFE, 0xA1...0xFE):
      return eucKR(lead, trail)
    default: return nil
    }
  }

  private static func gb18030(_ lead: UInt8, _ trail: UInt8) -> Double {
    switch (lead, trail) {
    case (0xB0...0xD7, 0xA1...): 10.3  // GB 2312's first level
    case (0xD8...0xF7, 0xA1...): 12.6  // and its second
    case (0xA1...0xA3, 0xA1...): 9.5  // punctuation, wide Latin letters
    case (0xA4...0xA5, 0xA1...): 10.9  // kana
    case (0xAA...0xAF, 0xA1...), (0xF8...0xFE, 0xA1...), (0xA1...0xA7, _): stray
    default: 13.4  // GBK's own, mostly traditional forms
    }
  }

  private static func big5(_ code: UInt16) -> Double {
    switch code {
    case 0xA440...0xC67E: 10.8  // first level
    case 0xC940...0xF9D5: 13.5  // second level
    case 0xA140...0xA3BF: 9.8  // punctuation, wide Latin letters
    case 0xC6A1...0xC8FE: 11.5  // kana
    case ..<0x8740: stray
    default: 14.5  // Hong Kong's supplement
    }
  }

  private static func shiftJIS(_ lead: UInt8, _ code: UInt16) -> Double {
    switch (lead, code) {
    case (_, 0x889F...0x9872): 10.2  // JIS X 0208's first level
    case (_, 0x989F...0xEAA4): 13.4  // and its second
    case (0x81, _): 8.9  // punctuation
    case (_, 0x824F...0x8396): 8.7  // wide Latin letters, kana
    case (0x83...0x84, _): 12  // Greek, Cyrillic, frames
    case (0x87, _): 10.5  // NEC's ① and ㈱
    case (0xF0...0xF9, _): stray
    default: 14  // NEC's and IBM's additions
    }
  }

  private static func eucKR(_ lead: UInt8, _ trail: UInt8) -> Double {
    switch (lead, trail) {
    case (0xB0...0xC8, 0xA1...): 12.5  // KS X 1001's syllables
    case (0xCA...0xFD, 0xA1...): 14.7  // its Chinese characters
    case (0xA1...0xAC, 0xA1...): 10.7  // punctuation, Latin, Greek, kana
    case (0x81...0xC6, _): 14.5  // code page 949's syllables
    default: stray
    }
  }
}
