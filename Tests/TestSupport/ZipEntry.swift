import ZipArchive

/// One entry for `ZipBuilder`: honest from its name and content, every field open to be made wrong.
public struct ZipEntry: Sendable {
  /// Whether sizes and CRC stand behind the data.
  public enum Descriptor: Sendable {
    case none, withSignature, withoutSignature
    /// Eight-byte sizes (zip64).
    case wideWithSignature, wideWithoutSignature
  }

  /// The name in the directory, and in the local header when it differs.
  public var name: [UInt8]
  /// Nil: the same.
  public var localName: [UInt8]?
  /// 0 stored, 8 deflate.
  public var method: Int
  /// Nil: the same.
  public var localMethod: Int?
  /// The bytes as they lie in the zip.
  public var payload: [UInt8]
  /// Bytes as recorded in the directory …
  public var size, compressedSize: Int
  /// … with their checksum …
  public var crc32: UInt32
  /// … and in the local header and the descriptor, when they differ there.
  public var localSize, localCompressedSize, descriptorSize: Int?
  /// The same for the checksum.
  public var localCRC32, descriptorCRC32: UInt32?
  /// Sizes and CRC behind the data, or not.
  public var descriptor: Descriptor
  /// Bit 11 (UTF-8) is set by itself when the name needs it; bit 3 with a descriptor.
  public var flags: Int
  /// Nil: the same.
  public var localFlags: Int?
  /// Sizes and offset as zip64 extra fields.
  public var isZip64: Bool
  /// Appended to the zip64 field, and what the comment says.
  public var extra, localExtra, comment: [UInt8]
  /// Upper byte: 3 Unix, 0 DOS (APPNOTE 4.4.2).
  public var versionMadeBy: Int
  /// Unix mode in the upper half.
  public var externalAttributes: Int
  /// Date in the upper half, time in the lower (APPNOTE 4.4.6).
  public var dosTime: Int
  /// The disk it claims to start on.
  public var diskStart: Int
  /// The local header's offset as recorded; nil: where it is.
  public var headerOffset: Int?
  /// Bytes before the local header that belong to nobody.
  public var bytesBefore: [UInt8]
  /// Whether it is written at all, here and there.
  public var hasLocalRecord, hasCentralRecord: Bool

  /// A deflated file, or a folder when the name ends with `/`.
  public init(_ name: String, _ content: FileContent = "") {
    self.init(Array(name.utf8), content)
  }

  /// The same with a name that need not be UTF-8 (bit 11 is set only for valid UTF-8 beyond ASCII).
  public init(_ name: [UInt8], _ content: FileContent = "") {
    let isFolder = name.last == UInt8(ascii: "/")
    self.name = name
    method = isFolder ? 0 : 8
    payload = isFolder ? content.bytes : (Deflater.deflate(content.bytes) ?? [])
    size = content.bytes.count
    compressedSize = payload.count
    crc32 = CRC32.value(of: content.bytes)
    descriptor = .none
    (isZip64, hasLocalRecord, hasCentralRecord) = (false, true, true)
    (extra, localExtra, comment, bytesBefore) = ([], [], [], [])
    (versionMadeBy, diskStart, dosTime) = (0x031E, 0, 0x21_0000)
    let isASCII = name.allSatisfy { $0 < 0x80 }
    flags = isASCII || String(validating: name, as: UTF8.self) == nil ? 0 : 1 << 11
    externalAttributes = (isFolder ? 0o040755 : 0o100644) << 16 | (isFolder ? 0x10 : 0)
  }

  /// The same entry without compression.
  public static func stored(_ name: String, _ content: FileContent) -> ZipEntry {
    var entry = ZipEntry(name, content)
    entry.method = 0
    entry.payload = content.bytes
    entry.compressedSize = content.bytes.count
    return entry
  }

  /// A copy with some fields changed.
  public func with(_ change: (inout ZipEntry) -> Void) -> ZipEntry {
    var copy = self
    change(&copy)
    return copy
  }

  /// The lower half of `dosTime`.
  public var time: Int {
    get { dosTime & 0xFFFF }
    set { dosTime = dosTime & ~0xFFFF | newValue }
  }

  var hasDescriptor: Bool {
    switch descriptor {
    case .none: false
    case .withSignature, .withoutSignature, .wideWithSignature, .wideWithoutSignature: true
    }
  }

  /// Local header (APPNOTE 4.3.7), data, descriptor (4.3.9).
  func localRecord() -> [UInt8] {
    let name = localName ?? self.name
    let flags = localFlags ?? (self.flags | (hasDescriptor ? 8 : 0))
    let crc = hasDescriptor ? localCRC32 ?? 0 : localCRC32 ?? crc32
    let packed = localCompressedSize ?? (hasDescriptor ? 0 : compressedSize)
    let plain = localSize ?? (hasDescriptor ? 0 : size)
    var extra = localExtra
    if isZip64 {
      extra = LittleEndian.bytes(1, 2) + LittleEndian.bytes(16, 2) + LittleEndian.bytes(plain, 8)
      extra += LittleEndian.bytes(packed, 8) + localExtra
    }
    var output = LittleEndian.bytes(0x0403_4B50, 4) + LittleEndian.bytes(isZip64 ? 45 : 20, 2)
    output += LittleEndian.bytes(flags, 2) + LittleEndian.bytes(localMethod ?? method, 2)
    output += LittleEndian.bytes(dosTime, 4) + LittleEndian.bytes(Int(crc), 4)
    output += LittleEndian.bytes(isZip64 ? 0xFFFF_FFFF : packed, 4)
    output += LittleEndian.bytes(isZip64 ? 0xFFFF_FFFF : plain, 4)
    output += LittleEndian.bytes(name.count, 2) + LittleEndian.bytes(extra.count, 2) + name + extra + payload
    return output + descriptorBytes()
  }

  private func descriptorBytes() -> [UInt8] {
    let (hasSignature, width) =
      switch descriptor {
      case .none: (false, 0)
      case .withSignature: (true, 4)
      case .withoutSignature: (false, 4)
      case .wideWithSignature: (true, 8)
      case .wideWithoutSignature: (false, 8)
      }
    guard width > 0 else { return [] }
    return (hasSignature ? LittleEndian.bytes(0x0807_4B50, 4) : [])
      + LittleEndian.bytes(Int(descriptorCRC32 ?? crc32), 4) + LittleEndian.bytes(compressedSize, width)
      + LittleEndian.bytes(descriptorSize ?? size, width)
  }

  /// Central directory header (APPNOTE 4.3.12).
  func centralRecord(offset: Int) -> [UInt8] {
    var extra = self.extra
    if isZip64 {
      extra = LittleEndian.bytes(1, 2) + LittleEndian.bytes(24, 2) + LittleEndian.bytes(size, 8)
      extra += LittleEndian.bytes(compressedSize, 8) + LittleEndian.bytes(offset, 8) + self.extra
    }
    var output = LittleEndian.bytes(0x0201_4B50, 4) + LittleEndian.bytes(versionMadeBy, 2)
    output += LittleEndian.bytes(isZip64 ? 45 : 20, 2)
    output += LittleEndian.bytes(flags | (hasDescriptor ? 8 : 0), 2) + LittleEndian.bytes(method, 2)
    output += LittleEndian.bytes(dosTime, 4) + LittleEndian.bytes(Int(crc32), 4)
    output += LittleEndian.bytes(isZip64 ? 0xFFFF_FFFF : compressedSize, 4)
    output += LittleEndian.bytes(isZip64 ? 0xFFFF_FFFF : size, 4)
    output += LittleEndian.bytes(name.count, 2) + LittleEndian.bytes(extra.count, 2)
    output +=
      LittleEndian.bytes(comment.count, 2) + LittleEndian.bytes(diskStart, 2) + LittleEndian.bytes(0, 2)
    output +=
      LittleEndian.bytes(externalAttributes, 4) + LittleEndian.bytes(isZip64 ? 0xFFFF_FFFF : offset, 4)
    return output + name + extra + comment
  }
}
