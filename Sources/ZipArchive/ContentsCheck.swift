internal import Platform

/// Inflates every entry of a zip and says what is not as declared.
struct ContentsCheck {
  private let records: [Record]
  private let file: File
  private let buffers: EntryBuffers
  private var findings = FindingList()
  private var digests: [FileDigests] = []
  private var indexPage: [UInt8] = []

  init(_ records: [Record], in file: File) throws(ZipError) {
    self.records = records
    self.file = file
    buffers = try EntryBuffers()
  }

  /// Findings and, when asked for and nothing was unreadable, digests in the order of the plan's files.
  mutating func run(
    digests wantsDigests: Bool, paths: @autoclosure () -> [String], isCancelled: () -> Bool
  ) throws(ZipError) -> ContentsReport {
    var hasAllDigests = wantsDigests
    for record in records {
      guard !isCancelled() else { throw .cancelled }
      let wantsThese = wantsDigests && record.isPlanned
      let digest: FileDigests?
      if record.isReadable {
        digest = try check(record, digest: wantsThese, isCancelled)
      } else {
        digest = wantsThese ? try hashCompressed(record, isCancelled) : nil
      }
      guard wantsThese, hasAllDigests else { continue }
      if let digest { digests.append(digest) } else { hasAllDigests = false }
    }
    if !indexPage.isEmpty {
      for missing in IndexPage(indexPage).assets(missingFrom: paths()) {
        findings.add(.missingAsset, path: missing, "index.html refers to it, and it is not there")
      }
    }
    return ContentsReport(findings: findings.all, files: hasAllDigests ? digests : [], isComplete: true)
  }

  private mutating func check(
    _ record: Record, digest: Bool, _ isCancelled: () -> Bool
  ) throws(ZipError) -> FileDigests? {
    // Stored bytes are the same in and out of the zip: one SHA-256 serves both.
    let isStored = record.contentMethod == Method.stored && !record.isEncrypted
    var reader = EntryReader(
      record, in: file, buffers, digest: digest && !isStored && !record.isEncrypted)
    var sha256 = Hash(.sha256)
    var md5 = Hash(.md5)
    let isIndex = record.isPlanned && record.path == "index.html"
    while true {
      let count = try reader.next()
      if count == 0 { break }
      guard !isCancelled() else { throw .cancelled }
      if digest {
        sha256.update(buffers.output, count: count)
        md5.update(buffers.output, count: count)
      }
      if isIndex { indexPage += buffers.output[..<min(count, max(0, IndexPage.limit - indexPage.count))] }
    }
    if let finding = reader.finding {
      findings.add(finding)
      return nil
    }
    guard digest else { return nil }
    let plain = sha256.finish()
    let packed: [UInt8]?
    if record.isEncrypted {
      packed = try hashCompressed(record, isCancelled)?.compressedSHA256
    } else {
      packed = isStored ? plain : reader.compressedSHA256()
    }
    guard let packed else { return nil }
    return FileDigests(sha256: plain, md5: md5.finish(), compressedSHA256: packed)
  }

  /// Of an encrypted entry, with what its cipher puts around it; nil when its bytes cannot be found.
  private mutating func hashCompressed(
    _ record: Record, _ isCancelled: () -> Bool
  ) throws(ZipError) -> FileDigests? {
    guard let start = record.dataOffset, record.isEncrypted else { return nil }
    var hash = Hash(.sha256)
    var done: Int64 = 0
    while done < record.compressedSize {
      guard !isCancelled() else { throw .cancelled }
      let wanted = Int(min(Int64(EntryBuffers.outputSize), record.compressedSize - done))
      let got: Int
      do throws(SystemError) {
        got = try file.read(into: &buffers.output, count: wanted, at: start + done)
      } catch {
        throw .system(error)
      }
      guard got == wanted else {
        findings.add(.truncated, path: record.path, "the file ended while it was read")
        return nil
      }
      hash.update(buffers.output, count: got)
      done += Int64(got)
    }
    return FileDigests(compressedSHA256: hash.finish())
  }
}
