/// How much an index may ask for. Checked against what it declares before memory is taken, and again while reading.
public struct IndexLimits: Sendable, Hashable {
  /// Entries of the package.
  public var entries: Int
  /// Bytes of the package that are no payload: headers, directory, comments and gaps. They are held in memory.
  public var skeletonSize: Int64

  /// Every limit is named: none is hidden.
  public init(entries: Int, skeletonSize: Int64) {
    self.entries = entries
    self.skeletonSize = skeletonSize
  }

  /// 100,000 entries and 40 MiB: twice what the directory of an accepted package may have.
  public static let standard = IndexLimits(entries: 100_000, skeletonSize: 40 << 20)
}
