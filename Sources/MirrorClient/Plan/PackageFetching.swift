public import Platform

/// Brings one package to the disk.
public protocol PackageFetching: Sendable {
  /// Fetches what is missing of the package into `partial/<sha256>.part` of the mirror, synchronizes it, and returns once
  /// its size and both digests are right. `progress` hears how many bytes are on disk; a failed or cancelled fetch leaves
  /// what came for the next one.
  func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage

  /// What the package's index says of its files; nil when there is none that can be used. The index stays beside the
  /// partial for the fetch, and what it cost is counted there.
  func contents(of request: PackageRequest) async throws(MirrorError) -> PackageContents?

  /// What `fetch` would bring over the network now, for a plan. The index that this takes stays beside the partial for
  /// the fetch, and what it cost is counted there.
  func cost(of request: PackageRequest) async throws(MirrorError) -> FetchCost

  /// Makes the package in `file`, open for reading and writing, whole again by fetching the blocks of it that are
  /// damaged: bytes fetched. Throws when the file is not the package afterwards: then only a fetch of the whole helps.
  func repair(
    _ request: PackageRequest, in file: File, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> Int64
}

extension PackageFetching {
  /// Nothing: for those that read no index.
  public func contents(of request: PackageRequest) async throws(MirrorError) -> PackageContents? { nil }

  /// The whole package: for those that know of no other way.
  public func cost(of request: PackageRequest) async throws(MirrorError) -> FetchCost {
    FetchCost(bytes: request.release.size, isReusing: false)
  }

  /// Never: for those that cannot ask for a part.
  public func repair(
    _ request: PackageRequest, in file: File, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> Int64 {
    throw .download(reason: "\(file.path) cannot be mended, only replaced")
  }
}

/// A package that is wanted, and what may spare bytes on its way.
public struct PackageRequest: Sendable {
  /// Which one.
  public var release: Release
  /// What may spare bytes.
  public var aid: PackageAid

  /// All of it.
  public init(release: Release, aid: PackageAid) {
    self.release = release
    self.aid = aid
  }
}
