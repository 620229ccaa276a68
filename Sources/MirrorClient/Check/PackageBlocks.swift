public import DepotModel

/// SHA-256 of each block of a package, of a manifest: tells which parts of a damaged file are good.
public struct PackageBlocks: Sendable, Hashable {
  /// Bytes a block may have, beside the last, which may be shorter.
  public static let sizes: ClosedRange<Int64> = 64 << 10...64 << 20

  /// Bytes of the package.
  public let packageSize: Int64
  /// Bytes of each block but the last.
  public let blockSize: Int64
  /// In the order of the blocks.
  public let digests: [SHA256Digest]

  /// Nil unless blocks of this size, and this many, make a package of that size.
  public init?(packageSize: Int64, blockSize: Int64, digests: [SHA256Digest]) {
    guard packageSize > 0, Self.sizes.contains(blockSize),
      Int64(digests.count) == (packageSize - 1) / blockSize + 1
    else { return nil }
    self.packageSize = packageSize
    self.blockSize = blockSize
    self.digests = digests
  }

  /// The bytes of the package that are a block's.
  func range(of block: Int) -> Range<Int64> {
    let start = Int64(block) * blockSize
    return start..<min(start + blockSize, packageSize)
  }
}
