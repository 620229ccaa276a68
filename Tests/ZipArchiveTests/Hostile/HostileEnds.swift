import TestSupport
import ZipArchive

/// Structure: the file as a whole and its end records.
enum HostileEnds {
  static let all = kinds + cuts + disks + around + several + counts + offsets + zip64

  private static let kinds: [HostileCase] = [
    .bytes("no byte at all", [.notAZip], []),
    .bytes("one byte of a signature", [.notAZip], [0x50]),
    .bytes("a gzip", [.notAZip], [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 60)),
    .bytes("a 7z", [.notAZip], [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + [UInt8](repeating: 0, count: 60)),
    .bytes("a RAR", [.notAZip], Array("Rar!\u{1A}\u{7}".utf8) + [UInt8](repeating: 0, count: 60)),
    .bytes("a page of HTML", [.notAZip], Array("<html>longer than an end record would be</html>".utf8)),
    .bytes("zeros", [.notAZip], [UInt8](repeating: 0, count: 70_000)),
    .bytes(
      "a directory without anything else", [.notAZip], [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)),
    .bytes("the signatures in the other byte order", [.notAZip], [0x06, 0x05, 0x4B, 0x50] + le(0, 18)),
  ]

  private static let cuts: [HostileCase] = [
    .bytes("the first half", [.truncated], Array(Sound.zip.prefix(Sound.zip.count / 2))),
    .bytes("all but a byte", [.truncated], Array(Sound.zip.dropLast())),
    .bytes("the end record alone, cut", [.truncated], Array(Sound.end().dropLast())),
    .bytes("a local header and no more", [.truncated], Sound.record(Sound.index)),
    .bytes(
      "a stream that never ends", [.truncated],
      Sound.record(Sound.index) + [UInt8](repeating: 0, count: 70_000)),
    .zip("a comment that is cut", [.truncated], Sound.entries) { ($0.comment, $0.commentLength) = ([1], 2) },
    .zip("a comment of 65,535 bytes that is not there", [.truncated], Sound.entries) {
      $0.commentLength = 0xFFFF
    },
    .entry("data beyond the end of the file", [.truncated, .overlap]) {
      ($0.size, $0.compressedSize) = (5000, 5000)
    },
    .entry("data beyond the end of the file, of a zip64 entry", [.truncated, .overlap]) {
      ($0.isZip64, $0.size, $0.compressedSize) = (true, 5000, 5000)
    },
    .entry(
      "deflated data beyond the end of the file", [.truncated, .overlap],
      Sound.index.with { $0.name = Array("b".utf8) }
    ) {
      $0.compressedSize = 5000
    },
  ]

  private static let disks: [HostileCase] = [
    .zip("a later disk", [.multiDisk], Sound.entries) { $0.diskNumber = 1 },
    .patched("a later disk, the directory on the first", [.multiDisk]) { $0.put(1, 2, at: $0.end + 4) },
    .patched("the first disk, the directory on a later", [.multiDisk]) { $0.put(1, 2, at: $0.end + 6) },
    .patched("disk numbers that announce zip64, which is not there", [.multiDisk]) {
      $0.put(-1, 4, at: $0.end + 4)
    },
    .entry("an entry on another disk", [.multiDisk]) { $0.diskStart = 1 },
    .entry("an entry on the last disk there can be", [.multiDisk]) { $0.diskStart = 0xFFFE },
    .patched("zip64: a later disk", [.multiDisk], zip64: true) {
      $0.put(1, 4, at: $0.zip64End + 16)
      $0.put(-1, 2, at: $0.end + 4)
    },
    .patched("zip64: the directory on a later disk", [.multiDisk], zip64: true) {
      $0.put(70_000, 4, at: $0.zip64End + 20)
      $0.put(-1, 2, at: $0.end + 6)
    },
    .patched("zip64: the end record is on a later disk", [.multiDisk], zip64: true) {
      $0.put(1, 4, at: $0.locator + 4)
    },
    .patched("zip64: two disks in all", [.multiDisk], zip64: true) { $0.put(2, 4, at: $0.locator + 16) },
    .entry("zip64: an entry on another disk", [.multiDisk]) {
      $0.diskStart = 0xFFFF
      $0.extra = Sound.extra(1, le(1, 4))
    },
  ]

  private static let around: [HostileCase] = [
    .zip("a script in front", [.prefixData], Sound.entries) { $0.prefix = Array("#!/bin/sh".utf8) },
    .zip("a script in front, not counted", [.prefixData], Sound.entries) {
      $0.prefix = Array("#!/bin/sh".utf8)
      $0.offsetsCountPrefix = false
    },
    .zip("a byte in front", [.prefixData], Sound.entries) { $0.prefix = [0] },
    .zip("a byte in front, not counted", [.prefixData], Sound.entries) {
      ($0.prefix, $0.offsetsCountPrefix) = ([0], false)
    },
    .zip("a self-extractor of Windows", [.prefixData], Sound.entries) {
      $0.prefix = Array("MZ".utf8) + [UInt8](repeating: 0x90, count: 4096)
    },
    .zip("the marker of a zip that was to be split, twice", [.prefixData], Sound.entries) {
      $0.prefix = [0x50, 0x4B, 0x30, 0x30, 0x50, 0x4B, 0x30, 0x30]
    },
    .zip("the marker of a split zip, not counted", [.prefixData], Sound.entries) {
      ($0.prefix, $0.offsetsCountPrefix) = ([0x50, 0x4B, 7, 8], false)
    },
    .bytes(
      "two zips, one after the other", [.prefixData],
      ZipBuilder([Sound.index, ZipEntry("b", "x")]).build() + Sound.zip),
    // Offsets that are right in the first are taken as they are.
    .bytes("the same zip twice", [.hiddenEntry], Sound.zip + Sound.zip),
    .zip("a zip in front, counted", [.prefixData, .hiddenEntry], Sound.entries) { $0.prefix = Sound.zip },
    .zip("an image in front", [.prefixData], Sound.entries) {
      $0.prefix = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)
    },
    .zip("a byte behind", [.trailingData], Sound.entries) { $0.suffix = [0] },
    .zip("a line break behind", [.trailingData], Sound.entries) { $0.suffix = [0x0D, 0x0A] },
    .zip("an end record's worth of zeros behind", [.trailingData], Sound.entries) { $0.suffix = le(0, 22) },
    .bytes(
      "zeros up to a block, and one more", [.trailingData], Sound.zip + le(0, 513 - Sound.zip.count % 512)),
    .bytes(
      "zeros up to a block, but for one", [.trailingData],
      Sound.zip + le(0, 511 - Sound.zip.count % 512) + [1]),
    .zip("a comment longer than told", [.trailingData], Sound.entries) {
      ($0.comment, $0.commentLength) = ([1, 2, 3], 1)
    },
    .zip("a comment that is not told", [.trailingData], Sound.entries) {
      ($0.comment, $0.commentLength) = ([1, 2, 3], 0)
    },
    .zip("an entry behind the end", [.trailingData], Sound.entries) {
      $0.suffix = Sound.record(ZipEntry("evil.js", "alert(1)"))
    },
    .zip("another directory behind the end", [.trailingData], Sound.entries) {
      let patch = ZipPatch(bytes: Sound.zip)
      $0.suffix = Array(patch.bytes[patch.central()..<patch.end])
    },
    .zip("65,000 bytes behind", [.trailingData], Sound.entries) {
      $0.suffix = [UInt8](repeating: 7, count: 65_000)
    },
    .zip("more behind than a comment can be", [.truncated], Sound.entries) {
      $0.suffix = [UInt8](repeating: 7, count: 70_000)
    },
  ]

  private static let several: [HostileCase] = [
    .zip("a zip as comment", [.severalEnds], Sound.entries) {
      $0.comment = ZipBuilder([Sound.other]).build()
    },
    .zip("the end of an empty zip as comment", [.severalEnds], Sound.entries) { $0.comment = Sound.end() },
    .zip("two ends as comment", [.severalEnds], Sound.entries) {
      $0.comment = Sound.end(comment: 22) + Sound.end()
    },
    .zip("an end in the comment that does not fit", [.severalEnds], Sound.entries) {
      $0.comment = Sound.end(comment: 0x0909)
    },
    .zip("an end in the comment that ends too early", [.severalEnds], Sound.entries) {
      $0.comment = Sound.end() + [1, 2]
    },
    .zip("an end behind the directory whose comment is the end", [.severalEnds], Sound.entries) {
      $0.afterDirectory = Sound.end(comment: 22)
    },
    .zip("an end behind the directory", [.severalEnds], Sound.entries) { $0.afterDirectory = Sound.end() },
    .zip(
      "an end between two entries", [.severalEnds],
      [Sound.index, Sound.other.with { $0.bytesBefore = Sound.end() }]),
    .zip("an end before the directory", [.severalEnds], Sound.entries) {
      $0.beforeDirectory = Sound.end(count: 1)
    },
    .zip("a stored zip whose comment reaches the end of the file", [.severalEnds], [Sound.index]) {
      // What follows the data: 30 + 5 … the directory's two headers and the end record.
      let rest = 46 + 10 + 46 + 5 + 22
      $0.entries.append(.stored("a.zip", FileContent(Sound.end(comment: rest))))
    },
    .zip(
      "an end in the comment of an entry, which reaches the end of the file", [.severalEnds], [Sound.index]
    ) {
      $0.entries[0].comment = Sound.end(comment: 22)
    },
    .patched("an end in the zip64 end record, which reaches the end of the file", [.severalEnds], zip64: true)
    {
      $0.put(44 + 22, 8, at: $0.zip64End + 4)
      $0.insert(Sound.end(comment: 20 + 22), at: $0.locator)
    },
  ]

  private static let counts: [HostileCase] = [
    .zip("one entry too many announced", [.countMismatch], Sound.entries) { $0.count = 3 },
    .zip("one too few", [.countMismatch], Sound.entries) { $0.count = 1 },
    .zip("none announced", [.countMismatch], Sound.entries) { $0.count = 0 },
    .zip("fewer on this disk", [.countMismatch], Sound.entries) { ($0.countOnThisDisk, $0.count) = (1, 2) },
    .zip("more on this disk", [.countMismatch], Sound.entries) { ($0.countOnThisDisk, $0.count) = (3, 2) },
    .zip("as many as announce zip64, which is not there", [.countMismatch], Sound.entries) {
      $0.count = 0xFFFF
    },
    .zip("zip64: one too many", [.countMismatch], Sound.entries) { ($0.zip64End, $0.zip64Count) = (true, 3) },
    .zip("zip64: 65,536 too many", [.countMismatch], Sound.entries) {
      ($0.zip64End, $0.zip64Count) = (true, 65_538)
    },
    .zip("65,538 entries, announced modulo 65,536", [.countMismatch, .overlap, .duplicate], [Sound.index]) {
      // Each header of the directory is the same one.
      let patch = ZipPatch(bytes: ZipBuilder([Sound.index]).build())
      let header = Array(patch.bytes[patch.central()..<patch.end])
      $0.entries[0].hasCentralRecord = false
      $0.beforeDirectory = (0..<65_538).flatMap { _ in header }
      ($0.count, $0.directorySize, $0.directoryOffset) = (2, 65_538 * header.count, patch.central())
    },
    .zip(
      "entries announced, in a directory of no bytes", [.countMismatch, .prefixData, .hiddenEntry],
      Sound.entries
    ) {
      $0.directorySize = 0
    },
  ]

  private static let offsets: [HostileCase] = [
    .zip("a directory past the end", [.directoryOffset], Sound.entries) { $0.directoryOffset = 100_000 },
    .zip("a directory at something else", [.directoryOffset], Sound.entries) { $0.directoryOffset = 3 },
    .zip("a directory where the entries are", [.directoryOffset], Sound.entries) { $0.directoryOffset = 0 },
    .zip("a directory at the end record", [.directoryOffset], Sound.entries) {
      $0.directoryOffset = ZipPatch(bytes: Sound.zip).end
    },
    .zip("a directory larger than the file", [.directoryOffset], Sound.entries) {
      $0.directorySize = 100_000
    },
    .zip("a directory a byte too large", [.directoryOffset], Sound.entries) {
      $0.directorySize = 46 + 10 + 46 + 5 + 1
    },
    .zip("a directory a byte too small", [.directoryOffset, .countMismatch, .hiddenEntry], Sound.entries) {
      $0.directorySize = 46 + 10 + 46 + 5 - 1
    },
    .zip("a directory that begins a byte late", [.directoryOffset], Sound.entries) { builder in
      let start = ZipPatch(bytes: Sound.zip).central()
      (builder.directoryOffset, builder.directorySize) = (start + 1, 46 + 10 + 46 + 5 - 1)
    },
    .patched("size and offset that overflow 32 bits together", [.directoryOffset]) {
      $0.put(-2, 4, at: $0.end + 12)
      $0.put(-2, 4, at: $0.end + 16)
    },
    .patched("zip64: size and offset that overflow 64 bits together", [.directoryOffset], zip64: true) {
      $0.put(.min, 8, at: $0.zip64End + 40)
      $0.put(.min, 8, at: $0.zip64End + 48)
    },
    .patched("zip64: an offset of 2^64 - 1", [.directoryOffset], zip64: true) {
      $0.put(-1, 8, at: $0.zip64End + 48)
    },
    .patched(
      "a header of the directory without its signature", [.directoryOffset, .countMismatch, .hiddenEntry]
    ) {
      $0.put(0, 4, at: $0.central(1))
    },
    .patched("a name that runs out of the directory", [.directoryOffset, .countMismatch, .hiddenEntry]) {
      $0.put(6, 2, at: $0.central(1) + 28)
    },
    .patched(
      "an extra field that runs out of the directory", [.directoryOffset, .countMismatch, .hiddenEntry]
    ) {
      $0.put(1, 2, at: $0.central(1) + 30)
    },
    .patched("a comment that runs out of the directory", [.directoryOffset, .countMismatch, .hiddenEntry]) {
      $0.put(0xFFFF, 2, at: $0.central(1) + 32)
    },
    .patched("a comment that swallows the next header", [.countMismatch, .hiddenEntry]) {
      $0.put(46 + 5, 2, at: $0.central() + 32)
    },
  ]

  private static let zip64: [HostileCase] = [
    .zip("zip64 announced by the size, and absent", [.zip64Conflict], Sound.entries) {
      $0.directorySize = 0xFFFF_FFFF
    },
    .zip("zip64 announced by the offset, and absent", [.zip64Conflict], Sound.entries) {
      $0.directoryOffset = 0xFFFF_FFFF
    },
    .zip("zip64 with another count", [.zip64Conflict, .countMismatch], Sound.entries) {
      ($0.zip64End, $0.zip64EndKeepsValues, $0.zip64Count) = (true, true, 3)
    },
    .zip("zip64 with another offset", [.zip64Conflict, .directoryOffset], Sound.entries) {
      ($0.zip64End, $0.zip64EndKeepsValues, $0.zip64DirectoryOffset) = (true, true, 3)
    },
    .patched("the end record with another size", [.zip64Conflict], zip64: true) {
      $0.put(7, 4, at: $0.end + 12)
    },
    .patched("the end record with another offset", [.zip64Conflict], zip64: true) {
      $0.put(0, 4, at: $0.end + 16)
    },
    .patched("the end record with another count", [.zip64Conflict], zip64: true) {
      $0.put(1, 2, at: $0.end + 10)
    },
    .patched("the end record with another count on this disk", [.zip64Conflict], zip64: true) {
      $0.put(1, 2, at: $0.end + 8)
    },
    .patched("the end record with another disk", [.zip64Conflict], zip64: true) {
      $0.put(1, 2, at: $0.end + 4)
    },
    .zip("a locator that points into an entry", [.zip64Conflict], Sound.entries) {
      ($0.zip64End, $0.zip64EndOffset) = (true, 5)
    },
    .zip("a locator that points far away", [.zip64Conflict], Sound.entries) {
      ($0.zip64End, $0.zip64EndOffset) = (true, .max)
    },
    .patched("a locator that points at itself", [.zip64Conflict], zip64: true) {
      $0.put($0.locator, 8, at: $0.locator + 8)
    },
    .patched("a locator of -1", [.zip64Conflict], zip64: true) { $0.put(-1, 8, at: $0.locator + 8) },
    .patched("a zip64 end record without its signature", [.zip64Conflict], zip64: true) {
      $0.put(0, 4, at: $0.zip64End)
    },
    .patched("a zip64 end record that is too small", [.zip64Conflict], zip64: true) {
      $0.put(43, 8, at: $0.zip64End + 4)
    },
    .patched("a zip64 end record over the locator", [.zip64Conflict], zip64: true) {
      $0.put(64, 8, at: $0.zip64End + 4)
    },
    .patched("a zip64 end record of 2^64 - 1 bytes", [.zip64Conflict], zip64: true) {
      $0.put(-1, 8, at: $0.zip64End + 4)
    },
    .patched("bytes between the zip64 end record and its locator", [.zip64Conflict], zip64: true) {
      $0.insert([0], at: $0.locator)
    },
    .patched("a locator without a zip64 end record", [.zip64Conflict]) {
      $0.insert([0x50, 0x4B, 6, 7] + le(0, 4) + le(0, 8) + le(1, 4), at: $0.end)
    },
    .zip("a locator in the last comment of the directory", [.zip64Conflict], [Sound.index]) {
      $0.entries[0].comment = [0x50, 0x4B, 6, 7] + le(0, 4) + le(0, 8) + le(1, 4)
    },
  ]
}
