/// Brings one package to the disk.
public protocol PackageFetching: Sendable {
  /// Fetches what is missing of the package into `partial/<sha256>.part` of the mirror, synchronizes it, and returns once
  /// its size and both digests are right. `progress` hears how many bytes are on disk; a failed or cancelled fetch leaves
  /// what came for the next one.
  func fetch(
    _ release: Release, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage
}
