/// How much a package may ask for. Checked against what it declares before anything is inflated, and again while
/// inflating.
public struct ZipLimits: Sendable, Hashable {
  /// Entries in the central directory, folders and junk included.
  public var entries: Int
  /// Bytes of the central directory: bounds the memory that reading takes.
  public var directorySize: Int64
  /// Bytes of all entries, unpacked.
  public var unpackedSize: Int64
  /// Bytes of one entry, unpacked.
  public var entrySize: Int64
  /// Unpacked bytes for each compressed byte, of an entry larger than `ratioFloor`.
  public var entryRatio: Int64
  /// Unpacked bytes for each byte of the zip, of a package larger than `ratioFloor`.
  public var packageRatio: Int64
  /// Unpacked bytes below which no ratio is judged.
  public var ratioFloor: Int64

  /// Every limit is named: none is hidden.
  public init(
    entries: Int, directorySize: Int64, unpackedSize: Int64, entrySize: Int64, entryRatio: Int64,
    packageRatio: Int64,
    ratioFloor: Int64
  ) {
    self.entries = entries
    self.directorySize = directorySize
    self.unpackedSize = unpackedSize
    self.entrySize = entrySize
    self.entryRatio = entryRatio
    self.packageRatio = packageRatio
    self.ratioFloor = ratioFloor
  }

  /// 100,000 entries in a directory of 20 MiB, 8 GiB in all, 4 GiB in one, 1,000:1 and 200:1 above 1 MiB.
  public static let standard = ZipLimits(
    entries: 100_000, directorySize: 20 << 20, unpackedSize: 8 << 30, entrySize: 4 << 30, entryRatio: 1000,
    packageRatio: 200, ratioFloor: 1 << 20)
}
