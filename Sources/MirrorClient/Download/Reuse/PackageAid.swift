public import Platform

/// What may spare bytes when a package is fetched or mended. All of it is optional, none of it is trusted: the digests of
/// the package decide.
public struct PackageAid: Sendable {
  /// The package's index.
  public var index: DeltaOffer.Index?
  /// Checksums of blocks of its large payloads.
  public var sums: DeltaOffer.Sums?
  /// Packages that stand here and may share entries with it, the likeliest first.
  public var standing: [StandingPackage]
  /// Asks for the digests of its blocks; nil, or nil as its answer, where there are none.
  public var blocks: (@Sendable () async -> PackageBlocks?)?

  /// All of it.
  public init(
    index: DeltaOffer.Index?, sums: DeltaOffer.Sums? = nil, standing: [StandingPackage],
    blocks: (@Sendable () async -> PackageBlocks?)?
  ) {
    self.index = index
    self.sums = sums
    self.standing = standing
    self.blocks = blocks
  }

  /// Nothing: the package is fetched whole.
  public static let none = PackageAid(index: nil, standing: [], blocks: nil)
}

/// A package that stands in a mirror.
public struct StandingPackage: Sendable {
  /// The folder of packages.
  public let folder: Directory
  /// Beneath it.
  public let name: String

  /// Nothing is opened yet.
  public init(folder: Directory, name: String) {
    self.folder = folder
    self.name = name
  }

  /// Opens it for reading.
  func open() throws(SystemError) -> File { try folder.file(name, mode: .read) }
}
