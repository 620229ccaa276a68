import TestSupport
import ZipArchive

/// Structure: who owns which bytes, and whether the two headers of an entry agree.
enum HostileEntries {
  static let all = overlaps + hidden + gaps + names + fields + descriptors + zip64

  private static let overlaps: [HostileCase] = [
    .zip(
      "an entry twice in the directory", [.overlap, .localCentralMismatch],
      [
        Sound.index,
        Sound.index.with { ($0.name, $0.hasLocalRecord, $0.headerOffset) = (Array("b".utf8), false, 0) },
      ]),
    .zip(
      "an entry twice in the directory by the same name", [.overlap, .duplicate],
      [Sound.index, Sound.index.with { ($0.hasLocalRecord, $0.headerOffset) = (false, 0) }]),
    .zip(
      "an empty entry twice in the directory", [.overlap, .localCentralMismatch],
      [
        ZipEntry.stored("b", "").with { $0.headerOffset = 0 },
        ZipEntry.stored("c", "").with { ($0.hasLocalRecord, $0.headerOffset) = (false, 0) }, Sound.index,
      ]),
    .bytes("full overlap", [.overlap, .localCentralMismatch], Bomb.fullOverlap(entries: 20, kernel: 1000)),
    .bytes("quoted overlap", [.overlap], Bomb.quoted(entries: 3, kernel: 1000)),
    .bytes("quoted overlap of two", [.overlap], Bomb.quoted(entries: 2, kernel: 10)),
    .entry("data that reach into the directory", [.overlap]) { ($0.size, $0.compressedSize) = (40, 40) },
    .entry("data that reach into the end record", [.overlap]) {
      ($0.size, $0.compressedSize) = (6 + 107 + 4, 6 + 107 + 4)
    },
    .zip(
      "data that reach into the next header", [.overlap],
      [Sound.other.with { ($0.size, $0.compressedSize) = (7, 7) }, Sound.index]),
    .zip(
      "data that cover the whole next entry", [.overlap],
      [Sound.other.with { ($0.size, $0.compressedSize) = (6 + 70, 6 + 70) }, Sound.index]),
    .zip(
      "an entry in the data of another", [.overlap],
      [
        Sound.index,
        .stored("outer", FileContent(Sound.record(ZipEntry.stored("inner", "x")))).with {
          $0.localExtra = []
        },
        ZipEntry.stored("inner", "x").with {
          ($0.hasLocalRecord, $0.headerOffset) = (false, Sound.record(Sound.index).count + 35)
        },
      ]),
    .zip(
      "an entry in the extra field of another", [.overlap],
      [
        Sound.index.with { $0.localExtra = Sound.extra(0xCAFE, Sound.record(ZipEntry.stored("inner", "x"))) },
        ZipEntry.stored("inner", "x").with { ($0.hasLocalRecord, $0.headerOffset) = (false, 30 + 10 + 4) },
      ]),
    .zip("a directory in the data of an entry", [.overlap, .duplicate], [Sound.index]) { builder in
      // The directory that counts says nothing of the entry around it; the one behind is what people see.
      let inner = ZipPatch(bytes: ZipBuilder([Sound.index]).build())
      let directory = Array(inner.bytes[inner.central()..<inner.end])
      let outer = ZipEntry.stored("b", FileContent(directory))
      let whole = ZipPatch(bytes: ZipBuilder([Sound.index, outer]).build())
      builder.entries.append(outer)
      builder.directoryOffset = Sound.record(Sound.index).count + 31
      builder.directorySize = whole.end - (builder.directoryOffset ?? 0)
      builder.count = 3
    },
  ]

  private static let hidden: [HostileCase] = [
    .entry("an entry the directory does not know", [.hiddenEntry]) { $0.hasCentralRecord = false },
    .zip(
      "one between two others", [.hiddenEntry],
      [Sound.index, ZipEntry("evil.js", "x").with { $0.hasCentralRecord = false }, Sound.other]),
    .zip(
      "one before all others", [.prefixData, .hiddenEntry],
      [Sound.other.with { $0.hasCentralRecord = false }, Sound.index]),
    .zip(
      "one by the name of another", [.hiddenEntry],
      [Sound.index, ZipEntry("index.html", "<script>evil()</script>").with { $0.hasCentralRecord = false }]),
    .zip("one behind the directory", [.hiddenEntry], Sound.entries) {
      $0.afterDirectory = Sound.record(Sound.other)
    },
    .zip("one behind padding", [.hiddenEntry], Sound.entries) {
      $0.beforeDirectory = [UInt8](repeating: 0, count: 4096) + Sound.record(Sound.other)
    },
    .zip("one without data", [.hiddenEntry], Sound.entries) {
      $0.beforeDirectory = Sound.record(ZipEntry("evil/"))
    },
    .zip("the beginning of one", [.hiddenEntry], Sound.entries) { $0.beforeDirectory = [0x50, 0x4B, 3, 4] },
    .zip("a header of the directory behind it", [.hiddenEntry], [Sound.index]) {
      $0.afterDirectory = [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)
    },
    .zip("an older directory, left by a program that appends", [.hiddenEntry], [Sound.index]) { builder in
      let old = ZipPatch(bytes: ZipBuilder([Sound.index]).build())
      builder.entries.append(Sound.other.with { $0.bytesBefore = Array(old.bytes[old.central()..<old.end]) })
    },
    .patched("one whose header lies behind the directory", [.hiddenEntry, .countMismatch]) {
      $0.put(46 + 10, 4, at: $0.end + 12)
    },
  ]

  private static let gaps: [HostileCase] = [
    .zip("zeros before the directory", [.gap], Sound.entries) {
      $0.beforeDirectory = [UInt8](repeating: 0, count: 3000)
    },
    .zip("a byte behind the directory", [.gap], Sound.entries) { $0.afterDirectory = [1] },
    .zip("padding before an entry", [.gap], Sound.entries) {
      $0.entries[1].bytesBefore = Array("padding".utf8)
    },
    .zip("Android's signing block", [.gap], Sound.entries) {
      $0.beforeDirectory = le(24, 8) + le(24, 8) + Array("APK Sig Block 42".utf8)
    },
    .entry("a descriptor that only the directory speaks of", [.gap]) {
      ($0.descriptor, $0.localFlags, $0.localCRC32) = (.withSignature, 0, $0.crc32)
      ($0.localSize, $0.localCompressedSize) = (6, 6)
    },
    .patched(
      "a descriptor that nobody speaks of", [.gap],
      [Sound.index.with { $0.descriptor = .withSignature }, Sound.other]
    ) {
      let sizes = Array($0.bytes[$0.descriptor() + 4..<$0.descriptor() + 16])
      $0.bytes.replaceSubrange(14..<26, with: sizes)
      $0.put(0, 2, at: 6)
    },
  ]

  private static let names: [HostileCase] = [
    .entry("another name", [.localCentralMismatch]) { $0.localName = Array("b.txt".utf8) },
    .entry("a shorter name", [.localCentralMismatch]) { $0.localName = Array("a.tx".utf8) },
    .entry("a longer name", [.localCentralMismatch]) { $0.localName = Array("a.txt.exe".utf8) },
    .entry("no name", [.localCentralMismatch]) { $0.localName = [] },
    .entry("a name in another case", [.localCentralMismatch]) { $0.localName = Array("A.TXT".utf8) },
    .entry("a name that ends at a NUL", [.localCentralMismatch]) {
      $0.localName = Array("a.txt\u{0}.js".utf8)
    },
    .entry("a name with another separator", [.localCentralMismatch, .backslash], ZipEntry("a\\b", "x")) {
      $0.localName = Array("a/b".utf8)
    },
    .entry("a name with a dot in front", [.localCentralMismatch]) { $0.localName = Array("./a.txt".utf8) },
    .entry("a name that leads up", [.localCentralMismatch]) { $0.localName = Array("../a.txt".utf8) },
    .entry("a name in another normal form", [.localCentralMismatch], ZipEntry("\u{E9}", "x")) {
      $0.localName = Array("e\u{301}".utf8)
    },
    .entry("a file that is a folder there", [.localCentralMismatch], .stored("a", "")) {
      $0.localName = Array("a/".utf8)
    },
    .entry("a folder that is a file there", [.localCentralMismatch], ZipEntry("a/")) {
      $0.localName = Array("a".utf8)
    },
    .entry("a folder by its attributes alone", [.localCentralMismatch]) {
      $0.externalAttributes = 0o040755 << 16 | 0x10
    },
    .entry("a folder by its attribute of DOS alone", [.localCentralMismatch]) {
      ($0.versionMadeBy, $0.externalAttributes) = (20, 0x10)
    },
    .entry("a Unicode path in the local header", [.localCentralMismatch]) {
      $0.localExtra = ExtraField.unicodePath("evil.js", for: $0.name)
    },
    .entry("two Unicode paths that differ", [.localCentralMismatch]) {
      $0.extra = ExtraField.unicodePath("good.js", for: $0.name)
      $0.localExtra = ExtraField.unicodePath("evil.js", for: $0.name)
    },
  ]

  private static let fields: [HostileCase] = [
    .entry("stored, and deflated there", [.localCentralMismatch]) { $0.localMethod = 8 },
    .zip("deflated, and stored there", [.localCentralMismatch], [Sound.index.with { $0.localMethod = 0 }]),
    .entry("stored, and AES there", [.localCentralMismatch]) {
      ($0.localMethod, $0.localExtra) = (99, Sound.aes())
    },
    .entry("a smaller size", [.localCentralMismatch]) { $0.localSize = 5 },
    .entry("a larger size", [.localCentralMismatch]) { $0.localSize = 7 },
    .entry("no size, and no descriptor", [.localCentralMismatch]) { $0.localSize = 0 },
    .entry("a smaller compressed size", [.localCentralMismatch]) { $0.localCompressedSize = 5 },
    .entry("a larger compressed size", [.localCentralMismatch]) { $0.localCompressedSize = 600 },
    .entry("no compressed size, and no descriptor", [.localCentralMismatch]) { $0.localCompressedSize = 0 },
    .entry("another CRC", [.localCentralMismatch]) { $0.localCRC32 = 5 },
    .entry("no CRC, and no descriptor", [.localCentralMismatch]) { $0.localCRC32 = 0 },
    .entry("encrypted there alone", [.localCentralMismatch]) { $0.localFlags = 1 },
    .entry("encrypted in the directory alone", [.localCentralMismatch, .encrypted], Encrypted.zipCrypto("b"))
    {
      $0.localFlags = 0
    },
    .entry("strongly encrypted there alone", [.localCentralMismatch]) { $0.localFlags = 1 << 6 },
    .entry("masked there alone", [.localCentralMismatch]) { $0.localFlags = 1 << 13 },
    .entry("patch data there alone", [.localCentralMismatch]) { $0.localFlags = 1 << 5 },
    .entry("AES of another strength", [.localCentralMismatch, .encrypted], Encrypted.aes("b")) {
      $0.localExtra = Sound.aes(strength: 1)
    },
    .entry("AES of another version", [.localCentralMismatch, .encrypted], Encrypted.aes("b")) {
      $0.localExtra = Sound.aes(version: 1)
    },
    .entry("AES around another method", [.localCentralMismatch, .encrypted], Encrypted.aes("b")) {
      $0.localExtra = Sound.aes(method: 8)
    },
    .entry("AES without its field there", [.localCentralMismatch, .encrypted], Encrypted.aes("b")) {
      $0.localExtra = []
    },
    .entry("zip64: another size", [.localCentralMismatch]) { ($0.isZip64, $0.localSize) = (true, 7) },
    .entry("zip64: another compressed size", [.localCentralMismatch]) {
      ($0.isZip64, $0.localCompressedSize) = (true, 7)
    },
    .entry("zip64: a size that is the same modulo 2^32", [.localCentralMismatch]) {
      ($0.isZip64, $0.localSize) = (true, 6 + 1 << 32)
    },
    .entry("a wrong size beside a descriptor", [.localCentralMismatch]) {
      ($0.descriptor, $0.localSize) = (.withSignature, 1)
    },
    .entry("a wrong compressed size beside a descriptor", [.localCentralMismatch]) {
      ($0.descriptor, $0.localCompressedSize) = (.withoutSignature, 1)
    },
    .entry("a wrong CRC beside a descriptor", [.localCentralMismatch]) {
      ($0.descriptor, $0.localCRC32) = (.wideWithSignature, 1)
    },
  ]

  private static let descriptors: [HostileCase] = [
    .entry("another CRC behind the data", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorCRC32) = (.withSignature, 1)
    },
    .entry("another CRC, without signature", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorCRC32) = (.withoutSignature, 1)
    },
    .entry("another size behind the data", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorSize) = (.withSignature, 7)
    },
    .entry("another size, without signature", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorSize) = (.withoutSignature, 7)
    },
    .entry("another size of eight bytes", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorSize) = (.wideWithSignature, 7)
    },
    .entry("a size of eight bytes that is the same modulo 2^32", [.descriptorMismatch]) {
      ($0.descriptor, $0.descriptorSize) = (.wideWithoutSignature, 6 + 1 << 32)
    },
    .patched(
      "another compressed size behind the data", [.descriptorMismatch],
      [
        Sound.index.with { $0.descriptor = .withSignature }, Sound.other,
      ]
    ) { $0.put(1, 4, at: $0.descriptor() + 8) },
    .patched(
      "the sizes the other way round", [.descriptorMismatch],
      [
        Sound.index.with { $0.descriptor = .withSignature }, Sound.other,
      ]
    ) { patch in
      let sizes = Array(patch.bytes[patch.descriptor() + 8..<patch.descriptor() + 16])
      patch.bytes.replaceSubrange(
        patch.descriptor() + 8..<patch.descriptor() + 16, with: sizes[4...] + sizes[..<4])
    },
    .entry("none", [.descriptorMismatch]) { $0.localFlags = 8 },
    .zip(
      "none, and the next entry right behind", [.descriptorMismatch],
      [Sound.index.with { $0.localFlags = 8 }, Sound.other]),
    .patched(
      "zeros instead of one", [.descriptorMismatch],
      [Sound.index.with { $0.descriptor = .withSignature }, Sound.other]
    ) {
      let start = $0.descriptor()
      $0.bytes.replaceSubrange(start..<start + 16, with: le(0, 16))
    },
    .patched(
      "one by another signature", [.descriptorMismatch],
      [Sound.index.with { $0.descriptor = .withSignature }, Sound.other]
    ) {
      $0.put(0x0908_4B50, 4, at: $0.descriptor())
    },
    .entry("one a byte early", [.descriptorMismatch, .crcMismatch]) {
      ($0.descriptor, $0.payload) = (.withSignature, Array($0.payload.dropLast()))
    },
    .entry("one a byte late", [.descriptorMismatch]) {
      ($0.descriptor, $0.payload) = (.withSignature, $0.payload + [0])
    },
  ]

  private static let zip64: [HostileCase] = [
    .entry("a zip64 field that lacks a size", [.zip64Conflict]) {
      ($0.size, $0.extra) = (0xFFFF_FFFF, Sound.extra(1, le(6, 4)))
    },
    .entry("no zip64 field for a size of all ones", [.zip64Conflict]) {
      ($0.size, $0.localSize) = (0xFFFF_FFFF, 6)
    },
    .entry("no zip64 field for an offset of all ones", [.zip64Conflict]) { $0.headerOffset = 0xFFFF_FFFF },
    .entry("two zip64 fields", [.zip64Conflict]) { ($0.isZip64, $0.extra) = (true, Sound.zip64(1)) },
    .entry("two zip64 fields in the local header", [.zip64Conflict]) {
      ($0.isZip64, $0.localExtra) = (true, Sound.zip64(6, 6))
    },
    .entry("two Unicode paths", [.zip64Conflict]) {
      $0.extra = ExtraField.unicodePath("b", for: $0.name) + ExtraField.unicodePath("c", for: $0.name)
    },
    .entry("a needless zip64 field of other sizes", [.zip64Conflict]) { $0.extra = Sound.zip64(1, 1) },
    .entry("a needless zip64 field of one other size", [.zip64Conflict]) { $0.extra = Sound.zip64(1 << 40) },
    .entry("a needless zip64 field of another offset", [.zip64Conflict]) { $0.extra = Sound.zip64(6, 6, 0) },
    .entry("a needless zip64 field of other sizes in the local header", [.zip64Conflict]) {
      $0.localExtra = Sound.zip64(7, 6)
    },
    .entry("a zip64 field with a second, other compressed size", [.zip64Conflict]) {
      ($0.size, $0.localSize, $0.extra) = (0xFFFF_FFFF, 6, Sound.zip64(6, 7))
    },
    .entry("a zip64 field for the offset that begins with a size", [.zip64Conflict]) {
      ($0.headerOffset, $0.extra) = (0xFFFF_FFFF, Sound.zip64(6, 6, 67))
    },
    .entry("a zip64 field cut by the end of the extra fields", [.zip64Conflict]) {
      ($0.size, $0.extra) = (0xFFFF_FFFF, le(1, 2) + le(16, 2) + le(6, 8))
    },
    .entry("a local zip64 field that lacks a size", [.zip64Conflict]) {
      ($0.localSize, $0.localCompressedSize, $0.localExtra) = (0xFFFF_FFFF, 0xFFFF_FFFF, Sound.zip64(6))
    },
    .entry("a size of 2^64 - 1", [.zip64Conflict]) { ($0.isZip64, $0.size) = (true, -1) },
    .entry("a compressed size of 2^63", [.zip64Conflict]) { ($0.isZip64, $0.compressedSize) = (true, .min) },
    .entry("an offset of 2^63", [.zip64Conflict]) { ($0.isZip64, $0.headerOffset) = (true, .min) },
  ]
}
