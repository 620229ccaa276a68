/// A readable Range field in bytes (RFC 9110 §14.1.2, §14.2).
public struct RangeHeader: Hashable, Sendable {
  /// One member of the list. Positions that do not fit are as far away as can be, not unreadable.
  enum Spec: Hashable, Sendable {
    case from(UInt64, through: UInt64)
    case last(UInt64)
  }

  /// What is to be sent of a representation.
  public enum Selection: Hashable, Sendable {
    /// All of it, with 200, as if there were no Range field.
    case whole
    /// Nothing, with 416.
    case unsatisfiable
    /// These parts, with 206: never empty, inside the representation, in the order asked for.
    case ranges([Range<Int64>])
  }

  /// How many ranges one request may ask for by default; who asks for more gets everything.
  public static let standardLimit = 64

  /// At most one more than the limit.
  private let specs: [Spec]
  private let limit: Int

  /// Reads a field value; nil when it is unreadable or in another unit, and so to be ignored.
  public init?(_ value: String, limit: Int = Self.standardLimit) {
    let bytes = Array(value.utf8)
    self.init(bytes.span, in: 0..<bytes.count, limit: limit)
  }

  /// RFC 9110 §14.1.1: ranges-specifier = range-unit "=" range-set, and range-set = 1#range-spec.
  init?(_ bytes: Span<UInt8>, in range: Range<Int>, limit: Int) {
    guard range.count > 6, bytes.matches("bytes=", in: range.lowerBound..<range.lowerBound + 6) else {
      return nil
    }
    var specs: [Spec] = []
    var start = range.lowerBound + 6
    while start <= range.upperBound {
      let comma = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<range.upperBound) ?? range.upperBound
      let member = bytes.trimmed(start..<comma)
      // RFC 9110 §5.6.1: empty members are skipped.
      if !member.isEmpty {
        // RFC 9110 §5.6.1: white space stands around commas only, so none before the first member.
        guard member.lowerBound == start || start > range.lowerBound + 6,
          let spec = Self.spec(bytes, in: member)
        else { return nil }
        if specs.count <= limit { specs.append(spec) }
      }
      start = comma + 1
    }
    guard !specs.isEmpty else { return nil }
    self.specs = specs
    self.limit = limit
  }

  /// int-range = first-pos "-" [ last-pos ]; suffix-range = "-" suffix-length.
  private static func spec(_ bytes: Span<UInt8>, in member: Range<Int>) -> Spec? {
    guard let dash = bytes.firstIndex(of: UInt8(ascii: "-"), in: member) else { return nil }
    let (first, last) = (member.lowerBound..<dash, dash + 1..<member.upperBound)
    if first.isEmpty { return number(bytes, in: last).map { .last($0) } }
    guard let start = number(bytes, in: first) else { return nil }
    if last.isEmpty { return .from(start, through: .max) }
    guard let end = number(bytes, in: last), isOrdered(bytes, first, start, last, end) else { return nil }
    return .from(start, through: end)
  }

  /// 1*DIGIT; the largest number for everything beyond 64 bits.
  private static func number(_ bytes: Span<UInt8>, in digits: Range<Int>) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    var isTooLarge = false
    for index in digits {
      guard bytes[index].isDigit else { return nil }
      let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(bytes[index] - 0x30))
      if overflowed || carried { isTooLarge = true }
      number = sum
    }
    return isTooLarge ? .max : number
  }

  /// RFC 9110 §14.1.1: a last position before the first makes the field invalid, however large the numbers are.
  private static func isOrdered(
    _ bytes: Span<UInt8>, _ first: Range<Int>, _ start: UInt64, _ last: Range<Int>, _ end: UInt64
  ) -> Bool {
    guard start == .max, end == .max else { return start <= end }
    let (left, right) = (significant(bytes, first), significant(bytes, last))
    guard left.count == right.count else { return left.count < right.count }
    for offset in 0..<left.count {
      let (one, other) = (bytes[left.lowerBound + offset], bytes[right.lowerBound + offset])
      if one != other { return one < other }
    }
    return true
  }

  private static func significant(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> Range<Int> {
    var start = digits.lowerBound
    while start < digits.upperBound, bytes[start] == 0x30 { start += 1 }
    return start..<digits.upperBound
  }

  /// What the field selects of a representation of `size` bytes. Ranges that overlap or touch become one, at the place
  /// of the earliest.
  public func selection(size: Int64) -> Selection {
    guard specs.count <= limit else { return .whole }
    var ranges: [Range<Int64>] = []
    var isSatisfiable = false
    for spec in specs {
      guard let range = Self.range(spec, size: UInt64(max(size, 0))) else { continue }
      isSatisfiable = true
      if !range.isEmpty { Self.add(range, to: &ranges) }
    }
    guard isSatisfiable else { return .unsatisfiable }
    // Only a suffix of nothing is satisfiable and empty; a 206 could not say so.
    return ranges.isEmpty ? .whole : .ranges(ranges)
  }

  /// RFC 9110 §14.1.2; nil when unsatisfiable.
  private static func range(_ spec: Spec, size: UInt64) -> Range<Int64>? {
    switch spec {
    case .from(let first, let last):
      guard first < size else { return nil }
      // `last` < `size` ≤ Int64.max when it is taken, so that adding one is safe.
      return Int64(first)..<Int64(last < size ? last + 1 : size)
    case .last(let count):
      guard count > 0 else { return nil }
      return Int64(size - min(count, size))..<Int64(size)
    }
  }

  /// Neighbours that still have a gap between them stay apart: joining them would send bytes nobody asked for.
  private static func add(_ range: Range<Int64>, to ranges: inout [Range<Int64>]) {
    var joined = range
    var place: Int?
    // Joining can reach a range that was passed over before, so look again until nothing touches.
    while let index = ranges.firstIndex(where: { touches($0, joined) }) {
      let other = ranges.remove(at: index)
      joined = min(other.lowerBound, joined.lowerBound)..<max(other.upperBound, joined.upperBound)
      place = min(place ?? index, index)
    }
    ranges.insert(joined, at: place ?? ranges.count)
  }

  private static func touches(_ one: Range<Int64>, _ other: Range<Int64>) -> Bool {
    one.lowerBound <= other.upperBound && other.lowerBound <= one.upperBound
  }
}

extension HTTPRequest {
  /// What the request's Range field selects of a representation of `size` bytes: everything when there is none, when it
  /// came twice, is unreadable or asks for more than `limit` ranges. Whether it counts at all is for `Preconditions`.
  public func rangeSelection(
    size: Int64, limit: Int = RangeHeader.standardLimit
  ) -> RangeHeader.Selection {
    let slice = slice(of: .range)
    guard !slice.isAbsent, !isRepeated(.range),
      let header = RangeHeader(bytes.span, in: slice.range, limit: limit)
    else { return .whole }
    return header.selection(size: size)
  }

  /// What `rangeSelection` tells of a Range field that is one range with a beginning, nearly the only one that clients
  /// send, without the memory that a list takes; nil where that must be asked.
  public func singleRange(size: Int64) -> Range<Int64>? {
    let slice = slice(of: .range)
    guard !slice.isAbsent, !isRepeated(.range) else { return nil }
    let value = bytes.span.extracting(slice.range)
    // As many digits as a number has for sure.
    guard (8...43).contains(value.count), value.eight(at: 0).isByteUnit else { return nil }
    let dash = value.end(from: 6) { $0.isDigit }
    guard (7...24).contains(dash), dash < value.count, value[dash] == UInt8(ascii: "-") else { return nil }
    let end = value.end(from: dash + 1) { $0.isDigit }
    guard end == value.count, end - dash <= 19 else { return nil }
    let first = value.number(in: 6..<dash)
    let last = dash + 1 == end ? Int64.max : value.number(in: dash + 1..<end)
    guard first <= last, first < size else { return nil }
    return first..<(last < size ? last + 1 : size)
  }
}

extension EightBytes {
  /// Whether the first six are `bytes=`, in letters of either case.
  fileprivate var isByteUnit: Bool { bits & 0xffff_ffff_ffff | 0x20_2020_2020 == 0x3d73_6574_7962 }
}

extension Span where Element == UInt8 {
  /// At most 18 digits as a number.
  fileprivate func number(in range: Range<Int>) -> Int64 {
    let digits = extracting(range)
    var number: Int64 = 0
    for index in 0..<digits.count { number = number &* 10 &+ Int64(digits[index] &- 0x30) }
    return number
  }
}
