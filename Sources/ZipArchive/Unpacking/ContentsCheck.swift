internal import Platform
internal import Synchronization

/// Inflates every entry of a zip, on several threads, and says what is not as declared.
struct ContentsCheck {
  private let records: [Record]
  private let keys: EntryKeys
  private let file: File
  private let wantsDigests: Bool

  /// With `digests` every planned file is hashed.
  init(_ records: [Record], _ keys: EntryKeys, in file: File, digests: Bool) {
    self.records = records
    self.keys = keys
    self.file = file
    wantsDigests = digests
  }

  /// Findings in the order of the directory and, when asked for and nothing was unreadable, digests in the order of the
  /// plan's files, whose paths `paths` are.
  func run(
    paths: @autoclosure () -> [String], threads: Int, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ZipError) -> ContentsReport {
    // Which of the planned files each record is: what is found of 100,000 has its place then, and needs no more.
    var numbers: [Int32] = []
    numbers.reserveCapacity(records.count)
    var count: Int32 = 0
    for record in records {
      numbers.append(count)
      if record.isPlanned { count += 1 }
    }
    let found = Mutex(Found(files: wantsDigests ? Int(count) : 0))
    let check = self
    let places = numbers
    try EntryTeam(sizes: records.lazy.map(\.size), threads: threads).run {
      (index, buffers) throws(ZipError) in
      guard !isCancelled() else { throw .cancelled }
      let result = try check.check(check.records[index], check.keys[index], buffers, isCancelled)
      found.withLock { found in
        if let finding = result.finding { found.add(finding, index) }
        if !result.indexPage.isEmpty { found.indexPage = result.indexPage }
        if let digests = result.digests {
          found.digests[Int(places[index])] = digests
          found.hashed += 1
        }
      }
    }
    return found.withLock { $0.report(paths) }
  }

  private func check(
    _ record: Record, _ keys: DecryptionKeys?, _ buffers: EntryBuffers, _ isCancelled: () -> Bool
  ) throws(ZipError) -> Result {
    var result = Result()
    let wantsThese = wantsDigests && record.isPlanned
    guard record.isReadable(open: keys != nil) else {
      if wantsThese {
        result.digests = try hashEnciphered(record, buffers, isCancelled, &result).map {
          FileDigests(compressedSHA256: $0)
        }
      }
      return result
    }
    // Stored bytes are the same in and out of the zip: one SHA-256 serves both.
    let isStored = record.contentMethod == Method.stored && !record.isEncrypted
    var reader = EntryReader(
      record, keys, in: file, buffers, digest: wantsThese && !isStored && !record.isEncrypted)
    var sha256 = Hash(.sha256)
    var md5 = Hash(.md5)
    let isIndex = record.isPlanned && record.path == "index.html"
    while let piece = try reader.next() {
      guard !isCancelled() else { throw .cancelled }
      if wantsThese {
        sha256.update(piece)
        md5.update(piece)
      }
      if isIndex { result.indexPage += piece.prefix(max(0, IndexPage.limit - result.indexPage.count)) }
    }
    result.finding = reader.finding
    guard wantsThese, result.finding == nil else { return result }
    let plain = sha256.finish()
    let packed: [UInt8]?
    if record.isEncrypted {
      packed = try hashEnciphered(record, buffers, isCancelled, &result)
    } else {
      packed = isStored ? plain : reader.compressedSHA256()
    }
    if let packed {
      result.digests = FileDigests(sha256: plain, md5: md5.finish(), compressedSHA256: packed)
    }
    return result
  }

  /// Of an encrypted entry, with what its cipher puts around it; nil when its bytes cannot be found.
  private func hashEnciphered(
    _ record: Record, _ buffers: EntryBuffers, _ isCancelled: () -> Bool, _ result: inout Result
  ) throws(ZipError) -> [UInt8]? {
    guard record.dataOffset != nil, record.isEncrypted else { return nil }
    var source = EntrySource(enciphered: record, in: file)
    while source.left > 0 {
      guard !isCancelled() else { throw .cancelled }
      guard try source.read(into: &buffers.output) > 0 else {
        result.finding = Finding(.truncated, path: record.path, "the file ended while it was read")
        return nil
      }
    }
    return source.takeSHA256()
  }

  /// What was found in one entry.
  private struct Result {
    var finding: Finding?
    var digests: FileDigests?
    var indexPage: [UInt8] = []
  }

  /// What was found in all of them.
  private struct Found {
    /// Of the planned files, in room taken at once; none when they are not asked for.
    var digests: [FileDigests]
    /// How many of them are there.
    var hashed = 0
    /// By the place of the entry in the directory.
    private var findings: [(index: Int, finding: Finding)] = []
    /// Those that nobody would be told anyway, however many there are.
    private var untold: [Rule: Int] = [:]
    var indexPage: [UInt8] = []

    init(files: Int) { digests = Array(repeating: FileDigests(compressedSHA256: []), count: files) }

    mutating func add(_ finding: Finding, _ index: Int) {
      findings.append((index, finding))
      if findings.count >= 50 * FindingList.perRule { shorten() }
    }

    /// Keeps of each rule those that are told: the first in the order of the directory.
    private mutating func shorten() {
      var kept: [(index: Int, finding: Finding)] = []
      var counts: [Rule: Int] = [:]
      for found in findings.sorted(by: { $0.index < $1.index }) {
        counts[found.finding.rule, default: 0] += 1
        if counts[found.finding.rule, default: 0] <= FindingList.perRule {
          kept.append(found)
        } else {
          untold[found.finding.rule, default: 0] += 1
        }
      }
      findings = kept
    }

    mutating func report(_ paths: () -> [String]) -> ContentsReport {
      shorten()
      var list = FindingList()
      for (_, finding) in findings { list.add(finding) }
      for (rule, count) in untold {
        for _ in 0..<count { list.add(rule, "") }
      }
      if !indexPage.isEmpty {
        for missing in IndexPage(indexPage).assets(missingFrom: paths()) {
          list.add(.missingAsset, path: missing, "index.html refers to it, and it is not there")
        }
      }
      // One that is missing makes all of them useless.
      let files = hashed == digests.count ? digests : []
      return ContentsReport(findings: list.all, files: files, isComplete: true)
    }
  }
}
