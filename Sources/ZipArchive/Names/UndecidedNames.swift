/// The names of an archive that neither bit 11 nor a Unicode Path field decides, and the verdict on how all of them are
/// encoded.
struct UndecidedNames {
  /// The encoding that fits best, and what speaks for it.
  struct Verdict {
    let encoding: NamesEncoding
    /// For a person: how many names, one of them as it is read, and the next best encoding.
    let evidence: String
  }

  /// Distinct components that are weighed, and their bytes: more of them would not change a verdict.
  private static let enoughComponents = 4096
  private static let enoughBytes = 256 << 10

  /// Names with bytes beyond ASCII.
  private var count = 0
  /// Some name is not valid UTF-8.
  private var isForeign = false
  /// Names that are no UTF-8 first: one is shown.
  private var example: [UInt8] = []
  private var components: [[UInt8]] = []
  private var seen: Set<[UInt8]> = []
  private var bytes = 0

  /// Takes in a name; one of ASCII alone is the same in all encodings.
  mutating func add(_ name: [UInt8]) {
    guard name.contains(where: { $0 >= 0x80 }) else { return }
    count += 1
    if !isForeign, String(validating: name, as: UTF8.self) == nil {
      isForeign = true
      example = name
    }
    guard components.count < Self.enoughComponents, bytes < Self.enoughBytes else { return }
    // 0x2F is a slash in all of them, 0x5C is not always a backslash.
    for component in name.split(separator: UInt8(ascii: "/")) where component.contains(where: { $0 >= 0x80 })
    {
      // A hundred numbered pictures say no more than one.
      let key = component.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard seen.insert(key).inserted else { continue }
      components.append(Array(component))
      bytes += component.count
    }
  }

  /// Nil when all of them are valid UTF-8 and are read so.
  func verdict() throws(ZipError) -> Verdict? {
    guard isForeign else { return nil }
    let ranking = NameModel.all.map { model in
      (encoding: model.encoding, cost: components.reduce(0) { $0 + model.cost(of: $1) })
    }.sorted { $0.cost < $1.cost }
    let (best, next) = (ranking[0], ranking[1])
    let shown = try NameConverter(best.encoding).text(of: example) ?? EntryName.shown(example)
    // Powers of ten tell more than nats; beyond some of them they tell nothing more.
    let lead = Int(min(99, (next.cost - best.cost) / 2.302_585))
    let names = count == 1 ? "a name is" : "\(count) names are"
    return Verdict(
      encoding: best.encoding,
      evidence: """
        nothing tells how \(names) encoded; read as \(best.encoding.rawValue), such as \(shown), \
        \(lead > 0 ? "which is 10^\(lead) times as likely as" : "which is little more likely than") \
        \(next.encoding.rawValue)
        """)
  }
}

extension UndecidedNames {
  /// Those of the directory that `end` points to, as far as it can be read and `limit` entries go.
  init(in zip: ZipBytes, _ end: EndRecord, limit: Int) throws(ZipError) {
    var cursor = ZipCursor(zip, from: end.directoryOffset, to: end.directoryEnd)
    for _ in 0..<max(0, limit) {
      guard let header = try CentralHeader.next(&cursor) else { return }
      if EntryName.isUndecided(header) { add(header.name) }
    }
  }
}
