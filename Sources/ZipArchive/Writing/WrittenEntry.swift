/// One entry of an archive being written: what both its headers say.
struct WrittenEntry {
  /// Where a 32-bit field is full: this value means "see the zip64 field" (APPNOTE 4.4.1.4).
  static let full: UInt64 = 0xFFFF_FFFF
  /// Bytes of a local header's zip64 field.
  static let zip64Length = 20

  /// UTF-8 in NFC, a folder's with its slash.
  let name: [UInt8]
  let kind: Record.Kind
  let date: EntryDate
  /// Of the local header, from the start of the file.
  let headerOffset: Int64
  /// How the data are packed, beneath the cipher.
  var method: UInt16
  let cipher: ZipWriterOptions.Cipher?
  /// Of the unpacked bytes.
  var crc32: UInt32 = 0
  var size: UInt64 = 0
  var compressedSize: UInt64 = 0
  /// The local header has a zip64 field.
  var isWide: Bool

  init(
    path: String, kind: Record.Kind, date: EntryDate, headerOffset: Int64, method: UInt16,
    cipher: ZipWriterOptions.Cipher?, size: UInt64
  ) {
    name = Array(path.utf8) + (kind == .folder ? [UInt8(ascii: "/")] : [])
    self.kind = kind
    self.date = date
    self.headerOffset = headerOffset
    self.method = method
    self.cipher = cipher
    isWide = size >= Self.full
  }

  var encryption: Encryption? {
    switch cipher {
    case .aes128: .aes(version: 2, strength: 1, method: method)
    case .aes192: .aes(version: 2, strength: 2, method: method)
    case .aes256: .aes(version: 2, strength: 3, method: method)
    case .zipCrypto: .zipCrypto
    case nil: nil
    }
  }

  /// What tells a wrong password: the CRC is not known when the data begin, so the entry has a descriptor, and the
  /// time stands for it (APPNOTE 6.1.6, as Info-ZIP reads it).
  var check: UInt8 { UInt8(date.dosTime >> 8) }

  /// What stands behind the data: sizes and CRC once more where `check` calls for it, else nothing (APPNOTE 4.3.9).
  var descriptor: [UInt8] {
    guard cipher == .zipCrypto else { return [] }
    var bytes: [UInt8] = []
    bytes.put(Signature.descriptor)
    bytes.put(crc32)
    if isWide {
      bytes.put(compressedSize)
      bytes.put(size)
    } else {
      bytes.put(UInt32(clamping: compressedSize))
      bytes.put(UInt32(clamping: size))
    }
    return bytes
  }

  /// The sizes need a zip64 field.
  var needsZip64: Bool { size >= Self.full || compressedSize >= Self.full }

  /// Where the data begin when the header is written as it is now.
  var dataOffset: Int64 { headerOffset + Int64(LocalHeader.length + name.count + localExtra.count) }

  /// APPNOTE 4.3.7.
  var localHeader: [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(Signature.localHeader)
    bytes.put(versionNeeded(isZip64: isWide))
    putCommonFields(&bytes)
    bytes.put(isWide ? UInt32(Self.full) : UInt32(clamping: compressedSize))
    bytes.put(isWide ? UInt32(Self.full) : UInt32(clamping: size))
    bytes.put(UInt16(name.count))
    bytes.put(UInt16(localExtra.count))
    return bytes + name + localExtra
  }

  /// APPNOTE 4.3.12.
  var centralHeader: [UInt8] {
    let offset = UInt64(headerOffset)
    // APPNOTE 4.5.3: only what does not fit into its field, in this order.
    var wide: [UInt8] = []
    for value in [size, compressedSize, offset] where value >= Self.full { wide.put(value) }
    let extra = field(0x0001, wide) + aesField + date.extraField
    let version = versionNeeded(isZip64: isWide || !wide.isEmpty)
    var bytes: [UInt8] = []
    bytes.put(Signature.centralHeader)
    // APPNOTE 4.4.2: Unix, whose modes the attributes hold.
    bytes.put(3 << 8 | max(30, version))
    bytes.put(version)
    putCommonFields(&bytes)
    bytes.put(UInt32(min(compressedSize, Self.full)))
    bytes.put(UInt32(min(size, Self.full)))
    bytes.put(UInt16(name.count))
    bytes.put(UInt16(extra.count))
    // No comment, disk 0, no internal attributes.
    bytes += [0, 0, 0, 0, 0, 0]
    bytes.put(attributes)
    bytes.put(UInt32(min(offset, Self.full)))
    return bytes + name + extra
  }

  private var localExtra: [UInt8] {
    var wide: [UInt8] = []
    if isWide {
      // APPNOTE 4.5.3: in a local header it holds both sizes.
      wide.put(size)
      wide.put(compressedSize)
    }
    return field(0x0001, wide) + aesField + date.extraField
  }

  /// WinZip's field: version, vendor, strength, what the data are beneath the cipher.
  private var aesField: [UInt8] {
    guard case .aes(let version, let strength, let method) = encryption else { return [] }
    var content: [UInt8] = []
    content.put(version)
    content += Array("AE".utf8) + [strength]
    content.put(method)
    return field(0x9901, content)
  }

  private func field(_ kind: UInt16, _ content: [UInt8]) -> [UInt8] {
    guard !content.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.put(kind)
    bytes.put(UInt16(content.count))
    return bytes + content
  }

  /// Flags to CRC, the same in both headers.
  private func putCommonFields(_ bytes: inout [UInt8]) {
    // APPNOTE 4.4.4: bit 11 says UTF-8; ASCII is the same in every encoding. Bit 0 says encrypted, bit 3 descriptor.
    var flags: UInt16 = name.allSatisfy { $0 < 0x80 } ? 0 : 1 << 11
    if cipher != nil { flags |= 1 }
    if cipher == .zipCrypto { flags |= 1 << 3 }
    bytes.put(flags)
    bytes.put(isAES ? Method.aes : method)
    bytes.put(date.dosTime)
    bytes.put(date.dosDate)
    // AE-2 keeps none: it would tell something of what is encrypted.
    bytes.put(isAES ? 0 : crc32)
  }

  private var isAES: Bool { cipher != nil && cipher != .zipCrypto }

  /// APPNOTE 4.4.3.2: 2.0 for folders, deflate and the old cipher, 4.5 for zip64, 5.1 for AES.
  private func versionNeeded(isZip64: Bool) -> UInt16 { isAES ? 51 : isZip64 ? 45 : 20 }

  /// Modes whatever the source had: a package's are not kept either.
  private var attributes: UInt32 {
    switch kind {
    case .folder: 0o040755 << 16 | 0x10
    case .symlink: 0o120777 << 16
    case .file, .special: 0o100644 << 16
    }
  }
}
