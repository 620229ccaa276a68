import TestSupport
import Testing
import ZipArchive

/// A zip made wrong on purpose: in what way, and which rules must name it.
struct HostileCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Exactly these errors; of warnings and notices at least these.
  let rules: Set<Rule>
  let bytes: [UInt8]
  var options: PackageOptions = .standard

  /// Entries as they are, in a zip with some fields changed.
  static func zip(
    _ name: String, _ rules: Set<Rule>, _ entries: [ZipEntry], _ change: (inout ZipBuilder) -> Void = { _ in }
  ) -> HostileCase {
    var builder = ZipBuilder(entries)
    change(&builder)
    return HostileCase(testDescription: name, rules: rules, bytes: builder.build())
  }

  /// Beside a sound `index.html`, one entry with some fields changed.
  static func entry(
    _ name: String, _ rules: Set<Rule>, _ entry: ZipEntry = Sound.other,
    _ change: (inout ZipEntry) -> Void = { _ in }
  ) -> HostileCase {
    .zip(name, rules, [Sound.index, entry.with(change)])
  }

  /// A sound zip of two entries in which bytes are overwritten; with `zip64` all its records have that form.
  static func patched(
    _ name: String, _ rules: Set<Rule>, zip64: Bool = false, _ entries: [ZipEntry] = Sound.entries,
    _ patch: (inout ZipPatch) -> Void
  ) -> HostileCase {
    var builder = ZipBuilder(entries)
    if zip64 {
      builder.zip64End = true
      builder.entries = builder.entries.map { $0.with { $0.isZip64 = true } }
    }
    var patched = ZipPatch(bytes: builder.build())
    patch(&patched)
    return HostileCase(testDescription: name, rules: rules, bytes: patched.bytes)
  }

  static func bytes(_ name: String, _ rules: Set<Rule>, _ bytes: [UInt8]) -> HostileCase {
    HostileCase(testDescription: name, rules: rules, bytes: bytes)
  }

  /// Files (or folders) of these names beside a sound `index.html`.
  static func names(_ rules: Set<Rule>, _ names: String...) -> HostileCase {
    let entries = names.map { ZipEntry($0, $0.hasSuffix("/") || $0.hasSuffix("\\") ? "" : "x") }
    let shown = names.map { $0.utf8.count > 40 ? "\($0.prefix(8))… (\($0.utf8.count))" : $0.debugDescription }
    return .zip("names " + shown.joined(separator: ", "), rules, [Sound.index] + entries)
  }

  /// Files of these names, which are no UTF-8, beside a sound `index.html`.
  static func raw(_ name: String, _ rules: Set<Rule>, _ names: [UInt8]...) -> HostileCase {
    .zip("names " + name, rules, [Sound.index] + names.map { ZipEntry($0, "x") })
  }

  /// The same zip under other limits.
  func limited(_ change: (inout ZipLimits) -> Void) -> HostileCase {
    var copy = self
    change(&copy.options.limits)
    return copy
  }

  /// The same zip under other options.
  func with(_ change: (inout PackageOptions) -> Void) -> HostileCase {
    var copy = self
    change(&copy.options)
    return copy
  }
}

/// What nobody could object to, and what cases are made of.
enum Sound {
  static let index = ZipEntry("index.html", "<h1>hello hello hello</h1>")
  static let other = ZipEntry.stored("a.txt", "stored")
  static let entries = [index, other]
  static let zip = ZipBuilder(entries).build()

  /// The local record of an entry alone: header, data, descriptor.
  static func record(_ entry: ZipEntry) -> [UInt8] {
    let patch = ZipPatch(bytes: ZipBuilder([entry]).build())
    return Array(patch.bytes[..<patch.central()])
  }

  /// An end record alone (APPNOTE 4.3.16).
  static func end(count: Int = 0, size: Int = 0, offset: Int = 0, comment: Int = 0) -> [UInt8] {
    [0x50, 0x4B, 5, 6] + le(0, 4) + le(count, 2) + le(count, 2) + le(size, 4) + le(offset, 4) + le(comment, 2)
  }

  /// An extra field.
  static func extra(_ kind: Int, _ content: [UInt8]) -> [UInt8] {
    le(kind, 2) + le(content.count, 2) + content
  }

  /// A zip64 field of these numbers (APPNOTE 4.5.3).
  static func zip64(_ values: Int...) -> [UInt8] { extra(1, values.flatMap { le($0, 8) }) }

  /// WinZip's AES field.
  static func aes(version: Int = 2, vendor: String = "AE", strength: Int = 3, method: Int = 0) -> [UInt8] {
    extra(0x9901, le(version, 2) + Array(vendor.utf8) + le(strength, 1) + le(method, 2))
  }
}

func le(_ value: Int, _ width: Int) -> [UInt8] { LittleEndian.bytes(value, width) }

/// A built zip, its records found by their signatures, any of its bytes to be overwritten.
struct ZipPatch {
  var bytes: [UInt8]

  /// Offset of the nth local header …
  func local(_ number: Int = 0) -> Int { find(3, 4, number) }
  /// … and of the nth header of the directory.
  func central(_ number: Int = 0) -> Int { find(1, 2, number) }
  /// Of the nth descriptor with a signature.
  func descriptor(_ number: Int = 0) -> Int { find(7, 8, number) }
  var end: Int { find(5, 6, 0) }
  var zip64End: Int { find(6, 6, 0) }
  var locator: Int { find(6, 7, 0) }

  mutating func put(_ value: Int, _ width: Int, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + width, with: le(value, width))
  }

  mutating func put(_ text: String, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
  }

  /// Makes room that nothing accounts for.
  mutating func insert(_ more: [UInt8], at offset: Int) { bytes.insert(contentsOf: more, at: offset) }

  /// A case that looks for a record that is not there reads as one that changes the first bytes.
  private func find(_ third: UInt8, _ fourth: UInt8, _ number: Int) -> Int {
    let places = bytes.indices.dropLast(3).filter {
      bytes[$0] == 0x50 && bytes[$0 + 1] == 0x4B && bytes[$0 + 2] == third && bytes[$0 + 3] == fourth
    }
    return places.count > number ? places[number] : 0
  }
}
