/// What the publisher, or the server's verdict, says about how a package is to be read.
public struct PackageOptions: Sendable, Hashable {
  /// How much the package may ask for.
  public var limits: ZipLimits
  /// Leaves a folder that holds everything in the paths.
  public var keepWrapper: Bool
  /// Makes a missing `index.html` an error.
  public var requireIndex: Bool
  /// The wrapper folder as a manifest names it (`"game/"`, or `""` for none), instead of finding it; a package that does not
  /// lie beneath it is refused.
  public var root: String?
  /// How the names are encoded, as a manifest or a publisher names it, instead of finding it. Only `utf-8` is known.
  public var namesEncoding: String?

  /// Nothing said: the package is judged by what it shows.
  public init(
    limits: ZipLimits, keepWrapper: Bool = false, requireIndex: Bool = false, root: String? = nil,
    namesEncoding: String? = nil
  ) {
    self.limits = limits
    self.keepWrapper = keepWrapper
    self.requireIndex = requireIndex
    self.root = root
    self.namesEncoding = namesEncoding
  }
}
