public import Platform

/// Makes the package of a folder: the same tree makes the same bytes, whatever the order of the disk, the time zone, the
/// umask, owners, modes and dates, and an unchanged file has the same bytes in the next version's package.
///
/// Judges the folder by the rules of packages at `init`, all of it at once, before anything is written. Every call blocks on I/O.
public struct PackageWriter {
  /// What the rules say to the folder: errors refuse it, junk is left out with a warning. Warnings that depend on the contents
  /// come with the written package.
  public let findings: [Finding]
  /// What is left out of the package, and why: a folder stands for all that is in it.
  public let leftOut: [IgnoredEntry]

  /// No finding is an error.
  public var isAccepted: Bool { !findings.contains { $0.severity == .error } }

  private let folder: Directory
  private let items: [FolderListing.Item]
  private let options: PackageOptions

  /// Walks and judges `folder`. `output`, a name in `outputFolder`, is where the package will be: it is not packed into itself, should
  /// it lie beneath `folder`. Throws `cannotRead`.
  public init(
    of folder: Directory, output: String, in outputFolder: Directory, options: PackageOptions
  ) throws(ZipWriteError) {
    self.folder = folder
    self.options = options
    let place = try onSource { () throws(SystemError) in try FolderListing.Place(output, in: outputFolder) }
    let listing = try FolderListing(of: folder, leavingOut: place)
    leftOut = listing.leftOut
    items = listing.items.filter { $0.kind != .folder || $0.isEmpty }
    findings = Self.judge(listing, options)
  }

  /// Writes the package into `file`, which the caller created, makes durable and gives its name, and reads it back: structure, names,
  /// sizes and every CRC are judged as a server would. Deflated at level 9 by zlib, media stored as it is.
  ///
  /// Throws `refused` when the folder, or the package when it is read back, breaks a rule; `cannotRead` and `sourceChanged`, which name
  /// the file; `cannotWrite` and `cancelled`; `isCancelled` is asked by several threads.
  public func write(
    to file: File, volume: any Volume = SystemVolume(), progress: (WriteProgress) -> Void = { _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ZipWriteError) -> WrittenPackage {
    guard isAccepted else { throw .refused(findings.filter { $0.severity == .error }) }
    let writer = try ZipWriter(to: file, options: .reproducible, volume: volume)
    var files = 0
    for item in items {
      try writer.add(item, of: folder, as: item.path, progress, isCancelled)
      if item.kind == .file { files += 1 }
    }
    let summary = try writer.finish()
    let found = try Self.readBack(file, options, isCancelled)
    let errors = found.filter { $0.severity == .error }
    guard errors.isEmpty else { throw .refused(errors) }
    return WrittenPackage(
      files: files, size: summary.size, sha256: try Self.digest(of: file, isCancelled), findings: found)
  }

  /// The folder as if it were a zip that stores everything: no rule has a second wording here.
  private static func judge(_ listing: FolderListing, _ options: PackageOptions) -> [Finding] {
    var findings = listing.findings
    let entries = listing.items.count { $0.kind != .folder || $0.isEmpty }
    if entries > options.limits.entries {
      findings.add(
        .tooManyEntries, "\(entries) files and empty folders; \(options.limits.entries) are allowed")
    }
    var total: Int64 = 0
    let records = listing.items.map { item in
      if item.path.utf8.contains(UInt8(ascii: "\\")) {
        findings.add(
          .backslash, path: item.path, severity: .error,
          "readers take a backslash for what separates folders")
      }
      total = total.addingReportingOverflow(item.size).partialValue
      return Record(
        path: item.path, kind: item.kind, method: Method.stored, flags: 0, time: 0, modifiedAt: 0, crc32: 0,
        size: item.size,
        compressedSize: item.size, headerOffset: 0, dataOffset: 0, endOffset: 0)
    }
    let rules = PackageRules(
      records, declaredSize: total, zipSize: total, findings: findings, namesEncoding: .utf8,
      options: options)
    return rules.findings.all
  }

  private static func readBack(
    _ file: File, _ options: PackageOptions, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ZipWriteError) -> [Finding] {
    do throws(ZipError) {
      let reader = try PackageReader(file: file, options: options)
      return reader.plan.findings
        + (try reader.verifyContents(digests: false, isCancelled: isCancelled)).findings
    } catch {
      switch error {
      case .refused(let findings): throw .refused(findings)
      case .system(let error): throw .cannotWrite(error)
      case .cancelled: throw .cancelled
      // Nothing is encrypted.
      default: throw .refused([])
      }
    }
  }

  private static func digest(of file: File, _ isCancelled: () -> Bool) throws(ZipWriteError) -> [UInt8] {
    var hash = Hash(.sha256)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var done: Int64 = 0
    while true {
      guard !isCancelled() else { throw .cancelled }
      let at = done
      let got = try onArchive { () throws(SystemError) in
        try file.read(into: &buffer, count: buffer.count, at: at)
      }
      if got == 0 { return hash.finish() }
      hash.update(buffer, count: got)
      done += Int64(got)
    }
  }
}

/// A package that was written.
public struct WrittenPackage: Sendable, Hashable {
  /// In the package, folders not counted.
  public let files: Int
  /// Bytes of the package.
  public let size: Int64
  /// Of the package.
  public let sha256: [UInt8]
  /// What the rules say to it: warnings, no error.
  public let findings: [Finding]
}
