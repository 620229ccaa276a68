internal import Platform

/// How a package is unpacked.
public struct UnpackOptions: Sendable, Hashable {
  /// What becomes of a file that stands where one of the package is to be written.
  public enum Existing: Sendable, Hashable {
    /// Unpacking fails with EEXIST; what is there stays as it is.
    case refuse
    /// It stays, whatever it holds, and its entry is skipped.
    case keep
    /// It gives way in one step: the new file is whole before it takes the name. A folder of that name is an error.
    case replace
  }

  /// What becomes of files that are there.
  public var existing: Existing
  /// Gives files the date of their entries instead of now: the one in UTC (Info-ZIP's field 0x5455) where there is one, else
  /// the one of MS-DOS (APPNOTE 4.4.6), which has no time zone and is taken for UTC.
  public var keepsDates: Bool
  /// Every file and folder is fsynced before unpacking returns.
  public var isDurable: Bool
  /// Nobody may write to the files, their owner included.
  public var isReadOnly: Bool
  /// Files are hashed while they are unpacked, and told in the result.
  public var digests: Bool
  /// How many threads unpack at once, at most; small packages take one.
  public var threads: Int

  /// Every choice is named.
  public init(
    existing: Existing, keepsDates: Bool, isDurable: Bool, isReadOnly: Bool, digests: Bool, threads: Int
  ) {
    self.existing = existing
    self.keepsDates = keepsDates
    self.isDurable = isDurable
    self.isReadOnly = isReadOnly
    self.digests = digests
    self.threads = threads
  }

  /// Into an empty folder, durably, with as many threads as there are processors, but at most four.
  public static let install = UnpackOptions(
    existing: .refuse, keepsDates: false, isDurable: true, isReadOnly: false, digests: false,
    threads: PackageReader.threads)
}
