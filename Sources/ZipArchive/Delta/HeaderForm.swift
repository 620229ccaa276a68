/// What the headers of many entries of a zip have in common: everything but name, time, checksum, sizes and the contents of
/// extra fields. A zip has a handful of forms, so an entry costs but the number of its own.
struct HeaderForm: Hashable {
  /// The fields of a fixed number, each at its place in `values`.
  enum Field: Int, CaseIterable {
    /// Of the directory's header.
    case versionMadeBy, versionNeeded, flags, method, diskStart, internalAttributes, externalAttributes
    /// Which of size (1), compressed size (2) and offset (4) stand in the zip64 field alone.
    case wide
    /// Of the local header, xor what the directory has.
    case localVersion, localFlags, localMethod
    /// How other fields of the local header come about (see `LocalRule`).
    case localTime, localCRC, localCompressedSize, localSize, localName
    /// 0 none, else one of `DataDescriptor.forms`, counted from 1.
    case descriptor
    /// Whether there are any.
    case comment, gap
    /// Bytes behind the last whole extra field.
    case centralTail, localTail
  }

  /// Of a local header's field.
  enum LocalRule {
    static let same: UInt32 = 0
    static let zero: UInt32 = 1
    static let ones: UInt32 = 2
    /// It is told by itself.
    static let other: UInt32 = 3
  }

  private var values: [UInt32]
  /// Kind in the upper half, length in the lower, of each extra field.
  var centralExtra: [UInt32] = []
  var localExtra: [UInt32] = []

  /// All fields 0.
  init() { values = [UInt32](repeating: 0, count: Field.allCases.count) }

  subscript(_ field: Field) -> UInt32 {
    get { values[field.rawValue] }
    set { values[field.rawValue] = newValue }
  }

  var isEncrypted: Bool { self[.flags] & 1 != 0 }
  var localFlags: UInt32 { self[.flags] ^ self[.localFlags] }

  /// Bytes of the extra fields.
  var centralExtraLength: Int { Self.length(centralExtra) + Int(self[.centralTail]) }
  var localExtraLength: Int { Self.length(localExtra) + Int(self[.localTail]) }

  private static func length(_ extra: [UInt32]) -> Int { extra.reduce(0) { $0 + 4 + Int($1 & 0xFFFF) } }
}

extension IndexCoder {
  /// A form that was not there yet, by what differs from another.
  mutating func form(_ form: HeaderForm, like last: HeaderForm) throws(IndexError) -> HeaderForm {
    var result = HeaderForm()
    for field in HeaderForm.Field.allCases {
      result[field] = field32(form[field], last[field], UInt32(field.rawValue))
    }
    result.centralExtra = try shape(form.centralExtra, like: last.centralExtra, 100)
    result.localExtra = try shape(form.localExtra, like: last.localExtra, 200)
    guard result.centralExtraLength <= 0xFFFF, result.localExtraLength <= 0xFFFF else {
      throw .damaged("extra fields of more than 65,535 bytes")
    }
    return result
  }

  private mutating func shape(_ shape: [UInt32], like last: [UInt32], _ place: UInt32) throws(IndexError)
    -> [UInt32]
  {
    let count = field32(UInt32(shape.count), UInt32(last.count), place)
    // Each takes four bytes at least.
    guard count <= 0xFFFF / 4 else { throw .damaged("\(count) extra fields in one header") }
    return (0..<Int(count)).map { index in
      field32(
        index < shape.count ? shape[index] : 0, index < last.count ? last[index] : 0,
        place + 1 + UInt32(min(index, 50)))
    }
  }

  private mutating func field32(_ value: UInt32, _ last: UInt32, _ place: UInt32) -> UInt32 {
    if flag(value == last, .sameField, place) { return last }
    return UInt32(truncatingIfNeeded: number(UInt64(value), .fieldValue, place))
  }
}
