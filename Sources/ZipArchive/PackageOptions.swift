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
  /// How names are encoded that do not tell it themselves, as a manifest or a publisher says, instead of finding it out; a name
  /// that is no text in it is refused.
  public var namesEncoding: NamesEncoding?

  /// Nothing said: the package is judged by what it shows.
  public init(
    limits: ZipLimits, keepWrapper: Bool = false, requireIndex: Bool = false, root: String? = nil,
    namesEncoding: NamesEncoding? = nil
  ) {
    self.limits = limits
    self.keepWrapper = keepWrapper
    self.requireIndex = requireIndex
    self.root = root
    self.namesEncoding = namesEncoding
  }
}
