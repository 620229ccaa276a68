package import DepotModel
package import Platform
internal import ZipArchive

/// The index of a package and the sums of its blocks, made from the package.
package struct MadeIndex: Sendable {
  package let bytes: [UInt8]
  package let sha256: SHA256Digest
  /// Empty when no payload is large enough.
  package let blockSums: [UInt8]

  /// Reads the package. Nil for one that is too large for an index, or laid out in a way that none can tell. Throws the
  /// system's failures.
  package init?(of package: File) throws(SystemError) {
    do throws(IndexError) {
      let bytes = try PackageIndex.make(of: package, limits: .standard)
      let sums = BlockSums(of: try PackageIndex(decoding: bytes, limits: .standard))
      blockSums = try sums.make(from: package)
      guard let sha256 = SHA256Digest(bytes: Hash.digest(of: bytes, .sha256)) else { return nil }
      self.bytes = bytes
      self.sha256 = sha256
    } catch {
      if case .system(let failure) = error { throw failure }
      return nil
    }
  }
}
