/// Who owns which bytes of the zip: each byte belongs to one record, or something is hidden or counted twice.
struct ByteOwners {
  /// What bytes can belong to.
  enum Owner: Hashable {
    case entry(Int)
    case directory
    case end
  }

  private struct Stretch {
    var start: Int64
    var end: Int64
    var owner: Owner
  }

  /// Unowned bytes that are searched for headers; more than that is refused unsearched.
  private static let searchLimit: Int64 = 32 << 20

  /// False when it is not known how far some record reaches: then bytes without an owner mean nothing.
  var judgesGaps = true

  private var stretches: [Stretch] = []

  mutating func add(from start: Int64, to end: Int64, _ owner: Owner) {
    if end > start { stretches.append(Stretch(start: start, end: end, owner: owner)) }
  }

  /// Adds `overlap`, `prefix-data`, `hidden-entry`, `several-ends` and `gap` where they are due. `name` tells an entry's path.
  mutating func judge(
    in zip: ZipBytes, name: (Int) -> String, _ findings: inout FindingList
  ) throws(ZipError) {
    stretches.sort { ($0.start, $0.end) < ($1.start, $1.end) }
    var budget = Self.searchLimit
    var covered: Int64 = 0
    var last: Owner?
    for stretch in stretches {
      if stretch.start > covered {
        try judgeGap(from: covered, to: stretch.start, in: zip, &budget, &findings)
      } else if stretch.start < covered, let last {
        let path = path(of: stretch.owner, name) ?? path(of: last, name)
        findings.add(
          .overlap, path: path,
          "bytes \(stretch.start) to \(min(covered, stretch.end)) belong to \(label(stretch.owner, name)) and to \(label(last, name))"
        )
      }
      if stretch.end > covered {
        covered = stretch.end
        last = stretch.owner
      }
    }
  }

  private func judgeGap(
    from start: Int64, to end: Int64, in zip: ZipBytes, _ budget: inout Int64, _ findings: inout FindingList
  ) throws(ZipError) {
    guard judgesGaps else { return }
    if start == 0 {
      let signature = try zip.signature(at: 0)
      let isMarker = end == 4 && Signature.segmentMarkers.contains(signature)
      findings.add(
        .prefixData, severity: isMarker ? .warning : nil,
        isMarker
          ? "the marker of a zip that was to be split and came out in one part"
          : "\(end) bytes stand before the first entry")
    }
    budget -= end - start
    guard budget >= 0 else {
      findings.add(
        .hiddenEntry,
        "\(end - start) bytes from offset \(start) on belong to no entry: too many to be searched")
      return
    }
    if let hidden = try first(
      of: [Signature.localHeader, Signature.centralHeader], from: start, to: end, in: zip)
    {
      findings.add(.hiddenEntry, "a header at offset \(hidden) belongs to no entry of the directory")
    } else if let other = try first(of: [Signature.end], from: start, to: end, in: zip) {
      // A program that reads front to back stops here.
      findings.add(.severalEnds, "another end record stands at offset \(other), where no entry is")
    } else if start > 0 {
      findings.add(.gap, "\(end - start) bytes from offset \(start) on belong to no entry")
    }
  }

  /// Where the first of some signatures is.
  private func first(
    of signatures: [UInt32], from start: Int64, to end: Int64, in zip: ZipBytes
  ) throws(ZipError) -> Int64? {
    let chunk = 128 << 10
    var offset = start
    while offset < end {
      let bytes = try zip.bytes(at: offset, count: Int(min(Int64(chunk), end - offset)))
      let found = signatures.compactMap { EndRecord.positions(of: $0, in: bytes).first }
      if let first = found.min() { return offset + Int64(first) }
      guard bytes.count == chunk else { return nil }
      // A signature may lie across two chunks.
      offset += Int64(chunk - 3)
    }
    return nil
  }

  private func path(of owner: Owner, _ name: (Int) -> String) -> String? {
    switch owner {
    case .entry(let index): name(index)
    case .directory, .end: nil
    }
  }

  private func label(_ owner: Owner, _ name: (Int) -> String) -> String {
    switch owner {
    case .entry(let index): name(index)
    case .directory: "the central directory"
    case .end: "the end record"
    }
  }
}
