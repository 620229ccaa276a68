/// Reads a zip's structure once: end record, directory, each local header, and who owns which bytes.
struct ArchiveScan {
  private(set) var records: [Record] = []
  var findings = FindingList()
  /// Of all records, saturating.
  private(set) var declaredSize: Int64 = 0
  /// How names are read that do not tell it themselves.
  private(set) var namesEncoding: NamesEncoding

  /// Of some entries not even the sizes are known.
  private var hasLostEntries = false

  private let zip: ZipBytes
  private let options: PackageOptions

  init(_ zip: ZipBytes, options: PackageOptions) throws(ZipError) {
    self.zip = zip
    self.options = options
    namesEncoding = options.namesEncoding ?? .utf8
    guard let end = try EndRecord.find(in: zip, &findings) else { return }
    let limits = options.limits
    guard end.entryCount <= UInt64(max(0, limits.entries)), end.directorySize <= limits.directorySize else {
      findings.add(
        .tooManyEntries,
        "\(end.entryCount) entries in a directory of \(end.directorySize) bytes; the limits are \(limits.entries) and \(limits.directorySize)"
      )
      return
    }
    if options.namesEncoding == nil,
      let verdict = try UndecidedNames(in: zip, end, limit: limits.entries).verdict()
    {
      namesEncoding = verdict.encoding
      findings.add(.namesEncoding, verdict.evidence)
    }
    guard try readDirectory(end, try NameConverter(namesEncoding)) else { return }
    var owners = ByteOwners()
    for index in records.indices {
      owners.add(from: records[index].headerOffset, to: records[index].endOffset, .entry(index))
    }
    owners.add(from: end.directoryOffset, to: end.directoryEnd, .directory)
    owners.add(from: end.start, to: zip.size, .end)
    owners.judgesGaps = !hasLostEntries && records.allSatisfy { $0.dataOffset != nil }
    try owners.judge(in: zip, name: { records[$0].path }, &findings)
  }

  /// False when there are more entries than may be read.
  private mutating func readDirectory(_ end: EndRecord, _ names: NameConverter) throws(ZipError) -> Bool {
    var cursor = ZipCursor(zip, from: end.directoryOffset, to: end.directoryEnd)
    var count = 0
    // No more than fit into it, whatever is announced: growing would take twice the room for a moment.
    records.reserveCapacity(
      Int(min(end.entryCount, UInt64(end.directorySize) / UInt64(CentralHeader.length))))
    while cursor.remaining > 0 {
      guard let header = try CentralHeader.next(&cursor) else {
        findings.add(
          .directoryOffset,
          "\(cursor.remaining) bytes of the directory, from offset \(cursor.offset) on, are not whole entries"
        )
        break
      }
      count += 1
      guard count <= options.limits.entries else {
        findings.add(.tooManyEntries, "the directory goes on after \(count - 1) entries, which is the limit")
        return false
      }
      if let record = try readEntry(header, end, names) {
        let (sum, isTooMuch) = declaredSize.addingReportingOverflow(record.size)
        declaredSize = isTooMuch ? .max : sum
        records.append(record)
      } else {
        hasLostEntries = true
      }
    }
    if UInt64(count) != end.entryCount {
      // A writer without zip64 lets the count wrap around at 65,536.
      findings.add(
        .countMismatch, "the end record announces \(end.entryCount) entries, the directory has \(count)")
    }
    return true
  }

  /// Nil after a finding, when not even the sizes are known.
  private mutating func readEntry(
    _ header: CentralHeader, _ end: EndRecord, _ names: NameConverter
  ) throws(ZipError) -> Record? {
    let name = EntryName(header, names, &findings)
    let path = name.path
    let disk =
      header.diskStart == 0xFFFF ? HeaderSizes.disk(in: header.extra.zip64) ?? 0 : UInt32(header.diskStart)
    if disk != 0 { findings.add(.multiDisk, path: path, "its data are on disk \(UInt64(disk) + 1)") }
    let limit = UInt64(Int64.max >> 16)
    guard header.extra.repeated == nil, let sizes = header.sizes.resolved(by: header.extra.zip64),
      let offset = sizes.offset, sizes.size <= limit, sizes.compressedSize <= limit, offset <= limit
    else {
      findings.add(
        .zip64Conflict, path: path,
        "the extra fields of the directory's header at offset \(header.offset) do not fit its sizes")
      return nil
    }
    var record = Record(
      path: path, kind: header.kind(isFolderByName: name.isFolder), method: header.method,
      flags: header.flags, time: header.time, modifiedAt: header.modifiedAt, crc32: header.crc32,
      size: Int64(sizes.size),
      compressedSize: Int64(sizes.compressedSize),
      headerOffset: Int64(offset), dataOffset: nil, endOffset: Int64(offset))
    record.isJunk = Junk.holds(path, isFolder: name.isFolder)
    judgeKind(record, header)
    try readLocalHeader(&record, header, end)
    judgeMethod(&record, header)
    return record
  }

  private mutating func judgeKind(_ record: Record, _ header: CentralHeader) {
    guard !record.isJunk else { return }
    switch record.kind {
    case .symlink:
      findings.add(.symlink, path: record.path, "it is a symlink; a package holds files and folders only")
    case .special: findings.add(.specialFile, path: record.path, "it is \(header.specialKindName)")
    case .file where header.isFolderByAttributes:
      findings.add(
        .localCentralMismatch, path: record.path,
        "the directory's attributes say it is a folder, its name says it is a file")
    case .file, .folder: break
    }
  }

  private mutating func readLocalHeader(
    _ record: inout Record, _ central: CentralHeader, _ end: EndRecord
  ) throws(ZipError) {
    let offset = record.headerOffset
    guard offset <= end.directoryOffset - Int64(LocalHeader.length),
      let local = try LocalHeader.read(at: offset, nameHint: central.name.count, in: zip)
    else {
      findings.add(.directoryOffset, path: record.path, "there is no local header at offset \(offset)")
      return
    }
    record.endOffset = local.dataOffset + record.compressedSize
    if record.endOffset > zip.size {
      findings.add(
        .truncated, path: record.path, "its data end at offset \(record.endOffset), the file at \(zip.size)")
      return
    }
    record.dataOffset = local.dataOffset
    local.compare(with: central, record, &findings)
    guard local.hasDescriptor else { return }
    if let length = try DataDescriptor.length(at: record.endOffset, record, in: zip) {
      record.endOffset += Int64(length)
    } else {
      let found = try DataDescriptor.shown(at: record.endOffset, in: zip)
      findings.add(
        .descriptorMismatch, path: record.path,
        "at offset \(record.endOffset) stands \(found), not CRC \(hex(record.crc32)), \(record.compressedSize) and \(record.size) bytes"
      )
    }
  }

  /// Method, cipher, and the sizes they allow.
  private mutating func judgeMethod(_ record: inout Record, _ header: CentralHeader) {
    var method = record.method
    if header.flags & (Flag.strongEncryption | Flag.maskedHeaders) != 0 {
      findings.add(.unsupportedMethod, path: record.path, "PKWARE's strong encryption")
      record.flags |= 1
      return
    }
    if header.flags & Flag.patchData != 0 {
      findings.add(.unsupportedMethod, path: record.path, "PKWARE's patch data")
      return
    }
    if record.method == Method.aes {
      guard record.isEncrypted, let encryption = Encryption(aesField: header.extra.aes),
        case .aes(_, _, let inner) = encryption
      else {
        findings.add(.unsupportedMethod, path: record.path, "method 99 without a valid AES field")
        return
      }
      record.encryption = encryption
      method = inner
    } else if record.isEncrypted {
      record.encryption = .zipCrypto
    }
    guard method == Method.stored || method == Method.deflate else {
      findings.add(
        .unsupportedMethod, path: record.path,
        "\(Method.name(method)); only stored and deflate are read, so pack it again with one of them")
      return
    }
    let overhead = record.encryption?.overhead ?? 0
    if let encryption = record.encryption, !record.isJunk {
      findings.add(.encrypted, path: record.path, "\(encryption.name); it needs a password to be unpacked")
    }
    if method == Method.stored
      ? record.compressedSize != record.size + overhead : record.compressedSize < overhead
    {
      findings.add(
        .sizeMismatch, path: record.path,
        "\(record.size) bytes unpacked cannot be \(record.compressedSize) bytes in the zip as \(Method.name(method))"
      )
    }
    if record.isFolder && record.size > 0 {
      findings.add(.directoryData, path: record.path, "a folder with \(record.size) bytes")
    }
  }
}
