/// Codes the headers of one entry after the other, in the order of the directory, by what was before.
struct EntryCoder {
  /// What tells a payload from others.
  private struct Identity: Hashable {
    let crc32: UInt32
    let size: UInt64
    let compressedSize: UInt64
  }

  private var names = NameCoder()
  private var forms: [HeaderForm] = []
  private var numbers: [HeaderForm: Int] = [:]
  private var form = HeaderForm()
  private var formNumber = 0
  private var identities: [Identity] = []
  private var places: [Identity: Int] = [:]
  private var distance: UInt64 = 0
  private var sizeClass = 0
  private var growth = 0
  private var times = TimeCoder()
  private var fields = FieldCoder()

  /// Forms that have a number; later ones are told in full each time.
  private static let formLimit = 255
  /// Extra fields of a form that gets a number: a bound for the memory that forms take.
  private static let formFieldLimit = 64

  init(entries: Int) { identities.reserveCapacity(entries) }

  /// Codes an entry whose name and other texts may have `limit` bytes each, as far as their lengths are not 16 bits wide.
  mutating func code<Coder>(
    _ wanted: EntryHeaders, limit: Int, with coder: inout IndexCoder<Coder>
  ) throws(IndexError) -> EntryHeaders {
    var entry = EntryHeaders()
    let limit16 = min(limit, 0xFFFF)
    entry.offset = wanted.offset
    entry.name = try names.code(wanted.name, limit: limit16, with: &coder)
    try codeForm(wanted.form, with: &coder)
    entry.form = form
    try codeContent(wanted, &entry, with: &coder)
    entry.centralExtra = fields.central(wanted.centralExtra, &entry, &times, with: &coder)
    entry.dosTime = times.dosTime(wanted.dosTime, with: &coder)
    entry.localExtra = fields.local(wanted.localExtra, entry, &times, with: &coder)
    if form[.localTime] != HeaderForm.LocalRule.same {
      entry.localTime = UInt32(coder.bits(UInt64(wanted.localTime), count: 32))
    }
    if form[.localCRC] == HeaderForm.LocalRule.other {
      entry.localCRC = UInt32(coder.bits(UInt64(wanted.localCRC), count: 32))
    }
    if form[.localCompressedSize] == HeaderForm.LocalRule.other {
      entry.localCompressedSize = UInt32(coder.bits(UInt64(wanted.localCompressedSize), count: 32))
    }
    if form[.localSize] == HeaderForm.LocalRule.other {
      entry.localSize = UInt32(coder.bits(UInt64(wanted.localSize), count: 32))
    }
    if form[.localName] != HeaderForm.LocalRule.same {
      entry.localName = try coder.text(wanted.localName, atMost: limit16, like: entry.name)
    }
    if form[.comment] != 0 { entry.comment = try coder.text(wanted.comment, atMost: limit16) }
    if form[.gap] != 0 { entry.gap = try coder.text(wanted.gap, atMost: limit) }
    return entry
  }

  private mutating func codeForm<Coder>(
    _ wanted: HeaderForm, with coder: inout IndexCoder<Coder>
  ) throws(IndexError) {
    let before = UInt32(formNumber)
    let known = coder.symbol(
      numbers[wanted] ?? 0, bits: 8, .form,
      [0, before + 1, names.kind, (names.kind ^ before) &* 0x0100_0193, names.folder])
    guard known == 0 else {
      guard known <= forms.count else { throw .damaged("form \(known) of \(forms.count)") }
      (form, formNumber) = (forms[known - 1], known)
      return
    }
    form = try coder.form(wanted, like: form)
    let fields = form.centralExtra.count + form.localExtra.count
    guard forms.count < Self.formLimit, fields <= Self.formFieldLimit else {
      formNumber = 0
      return
    }
    forms.append(form)
    formNumber = forms.count
    numbers[form] = forms.count
  }

  /// Checksum and sizes.
  private mutating func codeContent<Coder>(
    _ wanted: EntryHeaders, _ entry: inout EntryHeaders, with coder: inout IndexCoder<Coder>
  ) throws(IndexError) {
    let wish = Identity(crc32: wanted.crc32, size: wanted.size, compressedSize: wanted.compressedSize)
    let earlier = Coder.isEncoder && wish.size > 0 ? places[wish] : nil
    let identity: Identity
    if coder.flag(earlier != nil, .repetition, names.kind) {
      let wishedDistance = UInt64(identities.count - (earlier ?? 0))
      if !coder.flag(wishedDistance == distance, .sameDistance) {
        distance = coder.number(wishedDistance, .distance)
      }
      guard distance >= 1, distance <= UInt64(identities.count) else {
        throw .damaged("entry \(identities.count) repeats one \(distance) before it")
      }
      identity = identities[identities.count - Int(distance)]
    } else {
      identity = codeIdentity(wish, with: &coder)
    }
    let limit = UInt64(Int64.max >> 16)
    guard identity.size <= limit, identity.compressedSize <= limit else {
      throw .damaged(
        "entry \(identities.count) has \(identity.size) bytes, \(identity.compressedSize) packed")
    }
    if Coder.isEncoder { places[identity] = identities.count }
    identities.append(identity)
    (entry.crc32, entry.size, entry.compressedSize) = (identity.crc32, identity.size, identity.compressedSize)
    if form.isEncrypted { entry.payloadCRC = UInt32(coder.bits(UInt64(wanted.payloadCRC), count: 32)) }
  }

  private mutating func codeIdentity<Coder>(
    _ wish: Identity, with coder: inout IndexCoder<Coder>
  ) -> Identity {
    let (kind, folder, number) = (names.kind, names.folder, UInt32(formNumber))
    let packed = SizeClass(wish.compressedSize)
    let packedClass = coder.symbol(
      packed.number, bits: 8, .sizeClass,
      [0, kind, folder, (kind ^ folder) &* 31, number, UInt32(sizeClass) | kind << 8])
    let compressedSize = SizeClass.value(
      packedClass, rest: coder.bits(packed.rest, count: SizeClass.restBits(packedClass)))
    sizeClass = packedClass
    var size = compressedSize
    if !coder.flag(wish.size == compressedSize, .stored, number) {
      let plain = SizeClass(wish.size)
      let (fine, coarse) = (UInt32(packedClass), UInt32(packedClass >> 2))
      growth = coder.symbol(
        (plain.number - packedClass) & 0xFF, bits: 8, .growth,
        [0, kind, fine | 0x1_0000, (kind &+ coarse) &* 0x0100_0193, kind &* 31 &+ UInt32(growth), folder])
      let plainClass = (packedClass + growth) & 0xFF
      size = SizeClass.value(plainClass, rest: coder.bits(plain.rest, count: SizeClass.restBits(plainClass)))
    }
    let hasNone = coder.flag(wish.crc32 == 0, .noChecksum, size == 0 ? 0 : number + 1)
    let crc32 = hasNone ? 0 : UInt32(coder.bits(UInt64(wish.crc32), count: 32))
    return Identity(crc32: crc32, size: size, compressedSize: compressedSize)
  }
}

/// A size, as a class of a quarter of an octave and the bits that tell it within its class.
struct SizeClass {
  /// 0…251.
  let number: Int
  let rest: UInt64

  init(_ value: UInt64) {
    guard value >= 4 else {
      (number, rest) = (Int(value), 0)
      return
    }
    let width = 64 - value.leadingZeroBitCount
    number = (width - 2) * 4 + Int(value >> UInt64(width - 3) & 3)
    rest = value & (1 << UInt64(width - 3) - 1)
  }

  /// How many bits tell a size within class `number`.
  static func restBits(_ number: Int) -> Int { min(max(0, number / 4 - 1), 61) }

  /// The size; of a class that no size has, that of the highest.
  static func value(_ number: Int, rest: UInt64) -> UInt64 {
    number < 4 ? UInt64(number) : UInt64(4 + number & 3) << UInt64(restBits(number)) | rest
  }
}
