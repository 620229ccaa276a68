public import Platform

/// One zip, judged as a package: reads its structure at `init`, its contents on request, and unpacks it.
///
/// Holds nothing but the plan and the open file, so several threads may use one reader at once. Every call blocks on I/O.
public struct PackageReader: Sendable {
  /// What the zip holds and what the rules say to it.
  public let plan: PackagePlan
  let file: File
  let records: [Record]
  /// Those that passwords gave.
  var keys = EntryKeys.none
  let forbidsReading: Bool

  /// Reads directory and headers and applies every rule that needs no inflating. Content that breaks rules is told in
  /// `plan.findings`; only the system's failures are thrown.
  public init(file: File, options: PackageOptions) throws(ZipError) {
    self.file = file
    let zip = try ZipBytes(file)
    let rules = PackageRules(try ArchiveScan(zip, options: options), zipSize: zip.size, options: options)
    plan = rules.plan
    records = rules.records
    forbidsReading = rules.findings.forbidsReading
  }

  /// Inflates every entry, folders and junk included, and checks sizes and CRCs; with `digests` hashes every file.
  /// Looks at nothing when the plan's findings forbid it (see `ContentsReport.isComplete`). Of encrypted files only the bytes
  /// in the zip are hashed, unless their password is given, here or to `unlocked(with:)`. Throws `wrongPassword`, the
  /// system's failures and `cancelled`; `isCancelled` is asked about every 256 KiB.
  public func verifyContents(
    digests: Bool, password: Password? = nil, threads: Int = Self.threads,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(ZipError) -> ContentsReport {
    guard !forbidsReading else { return ContentsReport(findings: [], files: [], isComplete: false) }
    if let password {
      return try unlocked(with: password, threads: threads, isCancelled: isCancelled)
        .verifyContents(digests: digests, threads: threads, isCancelled: isCancelled)
    }
    let check = ContentsCheck(records, keys, in: file, digests: digests)
    return try check.run(paths: plan.files.map(\.path), threads: threads, isCancelled: isCancelled)
  }

  /// As many threads as this machine has processors, but at most four: more have never helped.
  public static let threads = min(4, ResourceLimits.processors)

  /// Unpacks the files of an accepted plan beneath `directory`: files get 0644 and folders 0755 before the umask, and no
  /// symlink that is there is followed. Sizes and CRCs are verified while writing. `options` say what becomes of files
  /// that are there; when they ask for it, every file and folder is fsynced through `volume`, `directory` included.
  ///
  /// With `only`, no other files (by path) and only the folders they need. `sharing` offers files that stand already: one
  /// that proves to hold an entry's bytes is shared instead of written.
  ///
  /// `observe` is told of each event, one at a time, on whatever thread it happens; it holds the work up as long as it
  /// takes, and may cancel it. `isCancelled` is asked about every 256 KiB, by several threads at once.
  ///
  /// Throws `refused` when the plan or an entry is not sound, `encrypted` and `wrongPassword` before anything is written,
  /// the system's failures and `cancelled`; what was written until then stays, for the caller to remove.
  @discardableResult
  public func unpack(
    into directory: Directory, volume: any Volume, options: UnpackOptions, only: Set<String>? = nil,
    password: Password? = nil, sharing: (any FileSharing)? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    observe: (@Sendable (UnpackEvent) -> UnpackDecision)? = nil
  ) throws(ZipError) -> UnpackedPackage {
    guard plan.isAccepted else { throw .refused(plan.findings.filter { $0.severity == .error }) }
    if let password {
      return try unlocked(with: password, isCancelled: isCancelled)
        .unpack(
          into: directory, volume: volume, options: options, only: only, sharing: sharing,
          isCancelled: isCancelled, observe: observe)
    }
    let locked = records.indices.lazy.filter {
      records[$0].isPlanned && only?.contains(records[$0].path) != false && records[$0].hasCipher
        && !keys.open($0)
    }
    guard locked.isEmpty else {
      throw .encrypted(paths: locked.prefix(Self.shownPaths).map { records[$0].path })
    }
    let unpacker = Unpacker(
      file, into: directory, volume, options, sharing: sharing, isCancelled: isCancelled)
    return try unpacker.run(records, keys, plan.files, only: only, UnpackTold(observe))
  }

  /// How many paths an error lists.
  static let shownPaths = 100
}
