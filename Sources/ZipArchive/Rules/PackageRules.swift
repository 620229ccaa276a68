/// Turns the records of a zip into what is to be unpacked: drops junk, takes off the wrapper folder, then judges names, sizes
/// and content.
struct PackageRules {
  private let options: PackageOptions
  private(set) var findings: FindingList
  private(set) var records: [Record]
  private var ignored: [IgnoredEntry] = []
  private var root = ""
  private let namesEncoding: NamesEncoding

  init(_ scan: ArchiveScan, zipSize: Int64, options: PackageOptions) {
    self.init(
      scan.records, declaredSize: scan.declaredSize, zipSize: zipSize, findings: scan.findings,
      namesEncoding: scan.namesEncoding, options: options)
  }

  /// Judges what is in a zip, or would be in one of `zipSize` bytes; `findings` are those made before.
  init(
    _ records: [Record], declaredSize: Int64, zipSize: Int64, findings: FindingList,
    namesEncoding: NamesEncoding, options: PackageOptions
  ) {
    self.options = options
    self.findings = findings
    self.records = records
    self.namesEncoding = namesEncoding
    // After the structure is lost there are no contents to speak of.
    guard !findings.forbidsReading || !records.isEmpty else { return }
    judgeSizes(declared: declaredSize, zipSize: zipSize)
    dropJunk()
    findRoot()
    judgeNames()
    judgeContent()
  }

  var plan: PackagePlan {
    let files = records.lazy.filter(\.isPlanned).map { record in
      PackageEntry(
        path: record.path, size: record.size, compressedSize: record.compressedSize, crc32: record.crc32,
        method: Int(record.method), headerOffset: record.headerOffset,
        dataOffset: record.dataOffset ?? record.headerOffset, isEncrypted: record.isEncrypted)
    }
    return PackagePlan(
      findings: findings.all, files: Array(files), ignored: ignored, root: root, namesEncoding: namesEncoding,
      unpackedSize: files.reduce(0) { $0.addingReportingOverflow($1.size).partialValue },
      entryCount: records.count)
  }

  private mutating func judgeSizes(declared: Int64, zipSize: Int64) {
    let limits = options.limits
    for record in records {
      if record.size > limits.entrySize {
        findings.add(
          .entryTooLarge, path: record.path, "\(record.size) bytes; \(limits.entrySize) are allowed")
      }
      if record.size > limits.ratioFloor, exceeds(limits.entryRatio, record.size, record.compressedSize) {
        findings.add(
          .ratio, path: record.path,
          "\(record.size) bytes from \(record.compressedSize); \(limits.entryRatio):1 is allowed")
      }
    }
    if declared > limits.unpackedSize {
      findings.add(.unpackedTooLarge, "\(declared) bytes in all; \(limits.unpackedSize) are allowed")
    }
    if declared > limits.ratioFloor, exceeds(limits.packageRatio, declared, zipSize) {
      findings.add(.ratio, "\(declared) bytes from a zip of \(zipSize); \(limits.packageRatio):1 is allowed")
    }
  }

  private func exceeds(_ ratio: Int64, _ size: Int64, _ compressedSize: Int64) -> Bool {
    let allowed = compressedSize.multipliedReportingOverflow(by: ratio)
    return !allowed.overflow && size > allowed.partialValue
  }

  private mutating func dropJunk() {
    for record in records {
      if record.isJunk {
        let path = record.path.printable + (record.isFolder ? "/" : "")
        findings.add(.junk, path: record.path, "it is left out")
        ignored.append(IgnoredEntry(path: path, reason: Rule.junk.rawValue))
      } else if record.isFolder && record.path.isEmpty {
        ignored.append(IgnoredEntry(path: "./", reason: Rule.dotPrefix.rawValue))
      }
    }
  }

  private mutating func findRoot() {
    let kept = records.lazy.filter { !$0.isJunk && !$0.path.isEmpty }
    if let given = options.root {
      root = given
    } else if !options.keepWrapper {
      root = WrapperFolder.find(
        files: kept.filter { !$0.isFolder }.map(\.path), folders: kept.filter(\.isFolder).map(\.path))
      if !root.isEmpty {
        findings.add(
          .wrapperFolder, path: root, "everything lies in this folder; the paths are read without it")
      }
    }
    guard !root.isEmpty else { return }
    for index in records.indices where !records[index].isJunk && !records[index].path.isEmpty {
      let path = records[index].path
      if path.utf8.starts(with: root.utf8) {
        records[index].path = String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self)
      } else if records[index].isFolder && root.utf8.starts(with: (path + "/").utf8) {
        records[index].path = ""
      } else {
        findings.add(.wrapperFolder, path: path, severity: .error, "it does not lie below \(root)")
      }
    }
  }

  private mutating func judgeNames() {
    var tree = PackageTree(paths: records.count, bytes: records.reduce(0) { $0 + $1.path.utf8.count })
    for record in records where !record.isJunk && !(record.isFolder && record.path.isEmpty) {
      for breach in EntryName.breaches(of: record.path) {
        findings.add(breach.rule, path: record.path, breach.detail)
      }
      tree.add(record.path, isFolder: record.isFolder)
    }
    tree.judge(folderLimit: options.limits.entries, &findings)
  }

  private mutating func judgeContent() {
    guard records.contains(where: \.isPlanned) else {
      findings.add(.noFiles, "there is no file in it")
      return
    }
    guard let index = records.first(where: { $0.isPlanned && $0.path == "index.html" }) else {
      findings.add(
        .noIndex, severity: options.requireIndex ? .error : nil,
        "there is no index.html at the top of the package")
      return
    }
    if index.size == 0 { findings.add(.emptyFile, path: index.path, "index.html is empty") }
  }
}

extension Record {
  /// A file to be unpacked.
  var isPlanned: Bool { !isJunk && !isFolder }

  /// A folder to be created.
  var isPlannedFolder: Bool { !isJunk && isFolder && !path.isEmpty }
}
