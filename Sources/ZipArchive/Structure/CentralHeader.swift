/// One header of the central directory as it stands there (APPNOTE 4.3.12).
struct CentralHeader {
  static let length = 46

  let offset: Int64
  let name: [UInt8]
  let versionMadeBy: UInt16
  let flags: UInt16
  let method: UInt16
  /// Date in the upper half, time in the lower (APPNOTE 4.4.6).
  let dosTime: UInt32
  let crc32: UInt32
  let sizes: HeaderSizes
  let diskStart: UInt16
  let externalAttributes: UInt32
  let extra: ExtraFields

  /// Takes the next header; nil when what stands there is not one, or runs past the directory's end.
  static func next(_ cursor: inout ZipCursor) throws(ZipError) -> CentralHeader? {
    let offset = cursor.offset
    guard let fixed = try cursor.peek(length) else { return nil }
    let head = Array(fixed)
    guard head.uint32(at: 0) == Signature.centralHeader else { return nil }
    let (nameLength, extraLength) = (Int(head.uint16(at: 28)), Int(head.uint16(at: 30)))
    let total = length + nameLength + extraLength + Int(head.uint16(at: 32))
    guard let whole = try cursor.peek(total) else { return nil }
    let nameStart = whole.startIndex + length
    let header = CentralHeader(
      offset: offset, name: Array(whole[nameStart..<nameStart + nameLength]),
      versionMadeBy: head.uint16(at: 4),
      flags: head.uint16(at: 8), method: head.uint16(at: 10),
      dosTime: head.uint32(at: 12), crc32: head.uint32(at: 16),
      sizes: HeaderSizes(
        size: UInt64(head.uint32(at: 24)), compressedSize: UInt64(head.uint32(at: 20)),
        offset: UInt64(head.uint32(at: 42))),
      diskStart: head.uint16(at: 34), externalAttributes: head.uint32(at: 38),
      extra: ExtraFields(whole[nameStart + nameLength..<nameStart + nameLength + extraLength]))
    cursor.skip(total)
    return header
  }

  /// Only these hosts keep a Unix mode in the upper half of the attributes (APPNOTE 4.4.2): Unix and macOS.
  private var hasUnixMode: Bool { [3, 19].contains(versionMadeBy >> 8) }

  /// S_IFMT and the permission bits, as far as they are told.
  private var unixMode: UInt32 { externalAttributes >> 16 }

  /// What the attributes and the name say it is.
  func kind(isFolderByName: Bool) -> Record.Kind {
    // A symlink is believed whatever the host says: some writers leave the host at DOS.
    if unixMode & 0o170000 == 0o120000 { return .symlink }
    guard hasUnixMode else { return isFolderByName ? .folder : .file }
    switch unixMode & 0o170000 {
    case 0o010000, 0o020000, 0o060000, 0o140000: return .special
    case 0, 0o100000:
      return !isFolderByName && unixMode & 0o6000 != 0 ? .special : isFolderByName ? .folder : .file
    default: return isFolderByName ? .folder : .file
    }
  }

  /// The attributes say folder: by Unix mode, or by the DOS bit where there is none.
  var isFolderByAttributes: Bool {
    hasUnixMode && unixMode != 0 ? unixMode & 0o170000 == 0o040000 : externalAttributes & 0x10 != 0
  }

  /// The half of `dosTime` that a check of a password may go by.
  var time: UInt16 { UInt16(truncatingIfNeeded: dosTime) }

  /// Seconds since 1970: as the extra field says, in UTC, or else by the clock of whoever packed it.
  var modifiedAt: Int64 { extra.modifiedAt ?? DOSTime(dosTime).unixSeconds }

  /// For findings: `device`, `fifo` …
  var specialKindName: String {
    switch unixMode & 0o170000 {
    case 0o010000: "a named pipe"
    case 0o020000: "a character device"
    case 0o060000: "a block device"
    case 0o140000: "a socket"
    default: "a file with the set-uid or set-gid bit"
    }
  }
}
