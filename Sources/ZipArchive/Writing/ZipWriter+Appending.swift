public import Platform

extension ZipWriter {
  /// Goes on with the archive `name` beneath `directory`: what is in it stays byte for byte, further entries come behind.
  ///
  /// The entries are copied into a new file, which replaces the old one when `finish()` is called: the archive is whole at every
  /// moment, and no dead directory stays between its entries (readers would have to call that `hidden-entry`). That costs the
  /// room, and the time to copy it.
  ///
  /// Throws `cannotOpen`, `unsoundArchive` when its structure breaks a rule, `cannotCreate`, `cannotWrite`, `badArgument` and `cancelled`.
  public convenience init(
    appendingTo name: String, in directory: Directory, options: ZipWriterOptions,
    volume: any Volume = SystemVolume(), isCancelled: () -> Bool = { false }
  ) throws(ZipWriteError) {
    let old: File
    do throws(SystemError) { old = try directory.file(name, mode: .read) } catch { throw .cannotOpen(error) }
    let archive = try SoundArchive(old)
    let pending = try Self.pendingFile(name, in: directory)
    try archive.copyEntries(to: pending.file, through: volume, isCancelled: isCancelled)
    var names = NameLedger()
    for record in archive.records where !record.path.isEmpty {
      names.add(record.path, isFolder: record.isFolder)
    }
    try self.init(
      to: pending.file, from: archive.directoryOffset, options, volume, pendingFile: pending,
      WrittenDirectory(
        headers: archive.directory, entryCount: UInt64(archive.records.count), comment: archive.comment),
      names)
  }
}

/// An archive that was found to be sound, to be gone on with.
private struct SoundArchive {
  let records: [Record]
  let directoryOffset: Int64
  /// The central headers as they stand there.
  let directory: [UInt8]
  let comment: [UInt8]
  private let file: File

  init(_ file: File) throws(ZipWriteError) {
    self.file = file
    // The limits are those of packages, and this need not be one; its directory has to fit into memory all the same.
    var limits = ZipLimits.standard
    limits.entries = .max
    limits.directorySize = 1 << 30
    let zip: ZipBytes
    var findings = FindingList()
    do throws(ZipError) {
      zip = try ZipBytes(file)
      let scan = try ArchiveScan(zip, options: PackageOptions(limits: limits))
      let errors = scan.findings.all.filter { $0.severity == .error }
      guard errors.isEmpty, let end = try EndRecord.find(in: zip, &findings) else {
        throw ZipError.refused(errors)
      }
      records = scan.records
      directoryOffset = end.directoryOffset
      directory = try zip.bytes(at: end.directoryOffset, count: Int(end.directorySize))
      comment = try zip.bytes(at: end.commentOffset, count: end.commentLength)
    } catch {
      switch error {
      case .refused(let findings): throw .unsoundArchive(findings)
      case .system(let error): throw .cannotOpen(error)
      // Nothing is unpacked here.
      default: throw .unsoundArchive([])
      }
    }
  }

  func copyEntries(
    to target: File, through volume: any Volume, isCancelled: () -> Bool
  ) throws(ZipWriteError) {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var done: Int64 = 0
    while done < directoryOffset {
      guard !isCancelled() else { throw .cancelled }
      let wanted = Int(min(Int64(buffer.count), directoryOffset - done))
      do throws(SystemError) {
        guard try file.read(into: &buffer, count: wanted, at: done) == wanted else {
          throw SystemError.unexpectedEnd(of: file)
        }
      } catch {
        throw .cannotOpen(error)
      }
      let chunk = wanted == buffer.count ? buffer : Array(buffer[..<wanted])
      let at = done
      try onArchive { () throws(SystemError) in try volume.write(chunk, to: target, at: at) }
      done += Int64(wanted)
    }
  }
}
