/// The header right before an entry's data (APPNOTE 4.3.7), and how it must agree with the directory's.
struct LocalHeader {
  static let length = 30

  let name: [UInt8]
  let flags: UInt16
  let method: UInt16
  let crc32: UInt32
  let sizes: HeaderSizes
  let extra: ExtraFields
  /// From the start of the file, of the first byte of data.
  let dataOffset: Int64

  /// Sizes and CRC stand behind the data (APPNOTE 4.4.4, bit 3).
  var hasDescriptor: Bool { flags & 8 != 0 }

  /// Nil when there is no local header at `offset`.
  static func read(at offset: Int64, nameHint: Int, in zip: ZipBytes) throws(ZipError) -> LocalHeader? {
    // Most headers come with one read.
    var bytes = try zip.bytes(at: offset, count: length + nameHint + 64)
    guard bytes.count >= length, bytes.uint32(at: 0) == Signature.localHeader else { return nil }
    let nameEnd = length + Int(bytes.uint16(at: 26))
    let total = nameEnd + Int(bytes.uint16(at: 28))
    if bytes.count < total { bytes = try zip.bytes(at: offset, count: total) }
    guard bytes.count >= total else { return nil }
    return LocalHeader(
      name: Array(bytes[length..<nameEnd]), flags: bytes.uint16(at: 6), method: bytes.uint16(at: 8),
      crc32: bytes.uint32(at: 14),
      sizes: HeaderSizes(size: UInt64(bytes.uint32(at: 22)), compressedSize: UInt64(bytes.uint32(at: 18))),
      extra: ExtraFields(bytes[nameEnd..<total]), dataOffset: offset + Int64(total))
  }

  /// Adds a finding for each thing the two headers disagree on.
  func compare(with central: CentralHeader, _ record: Record, _ findings: inout FindingList) {
    func differ(_ what: String, _ here: some Any, _ there: some Any) {
      findings.add(
        .localCentralMismatch, path: record.path,
        "\(what) is \(here) in the local header at offset \(record.headerOffset) and \(there) in the directory"
      )
    }
    if name != central.name { differ("the name", EntryName.shown(name), EntryName.shown(central.name)) }
    if method != central.method { differ("the method", Method.name(method), Method.name(central.method)) }
    if flags & 1 != central.flags & 1 {
      differ("the entry", isEncrypted(flags), isEncrypted(central.flags))
    }
    let others = Flag.patchData | Flag.strongEncryption | Flag.maskedHeaders
    if flags & others != central.flags & others {
      differ("its kind of content (bits 5, 6 and 13 of the flags)", flags & others, central.flags & others)
    }
    compareUnicodePaths(with: central, record, &findings)
    if central.method == Method.aes, method == Method.aes,
      Encryption(aesField: extra.aes) != Encryption(aesField: central.extra.aes)
    {
      differ("the AES field", extra.aes ?? [], central.extra.aes ?? [])
    }
    guard extra.repeated == nil, let own = knownSizes.resolved(by: extra.zip64) else {
      findings.add(
        .zip64Conflict, path: record.path,
        "the extra fields of the local header at offset \(record.headerOffset) do not fit its sizes")
      return
    }
    // APPNOTE 4.4.4, bit 3: here they may be zero then.
    func agrees(_ here: UInt64, _ there: UInt64) -> Bool { here == there || hasDescriptor && here == 0 }
    // Info-ZIP keeps the time there that ZipCrypto's check byte is taken from.
    let isTime = hasDescriptor && record.isEncrypted && crc32 == UInt32(record.time) << 16
    if !isTime && !agrees(UInt64(crc32), UInt64(record.crc32)) {
      differ("the CRC", hex(crc32), hex(record.crc32))
    }
    if !agrees(own.size, UInt64(record.size)) { differ("the size", own.size, record.size) }
    if !agrees(own.compressedSize, UInt64(record.compressedSize)) {
      differ("the compressed size", own.compressedSize, record.compressedSize)
    }
  }

  /// Info-ZIP, when it streams, writes all ones for sizes that are not known yet, without a zip64 field.
  private var knownSizes: HeaderSizes {
    let isUnknown = hasDescriptor && extra.zip64 == nil
    let unknown: UInt64 = 0xFFFF_FFFF
    return HeaderSizes(
      size: isUnknown && sizes.size == unknown ? 0 : sizes.size,
      compressedSize: isUnknown && sizes.compressedSize == unknown ? 0 : sizes.compressedSize)
  }

  /// Extra fields may differ, but not so that tools which believe them make two different files.
  private func compareUnicodePaths(
    with central: CentralHeader, _ record: Record, _ findings: inout FindingList
  ) {
    guard let here = EntryName.unicodePath(extra.unicodePath, for: name) else { return }
    let there = EntryName.unicodePath(central.extra.unicodePath, for: central.name)
    guard here != there ?? central.name else { return }
    if there == nil, let text = String(validating: here, as: UTF8.self) {
      // The directory's name in another encoding may well say the same.
      var ofNoInterest = FindingList()
      if EntryName(cleaning: text, &ofNoInterest).path == record.path { return }
    }
    findings.add(
      .localCentralMismatch, path: record.path,
      "the Unicode path is \(EntryName.shown(here)) in the local header and \(EntryName.shown(there ?? central.name)) in the directory"
    )
  }

  private func isEncrypted(_ flags: UInt16) -> String { flags & 1 != 0 ? "encrypted" : "not encrypted" }
}

/// Eight lower-case digits.
func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
