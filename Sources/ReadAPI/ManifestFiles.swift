package import DepotModel
package import ZipArchive

extension Manifest.File {
  /// A file of a package whose contents were read. Nil when they were not hashed.
  package init?(_ entry: PackageEntry, _ digests: FileDigests) {
    guard let compressed = SHA256Digest(bytes: digests.compressedSHA256) else { return nil }
    let crc = String(entry.crc32, radix: 16)
    self.init(
      path: entry.path, size: entry.size, sha256: digests.sha256.flatMap { SHA256Digest(bytes: $0) },
      md5: digests.md5.flatMap { MD5Digest(bytes: $0) },
      crc32: String(repeating: "0", count: 8 - crc.count) + crc,
      method: entry.method, compressedSize: entry.compressedSize, headerOffset: entry.headerOffset,
      dataOffset: entry.dataOffset, compressedSha256: compressed, encrypted: entry.isEncrypted)
  }
}

extension Manifest {
  /// Bytes of a package that one digest of its blocks is of.
  package static var packageBlockSize: Int64 { 1 << 20 }

  /// The entries of a package that are not to be unpacked.
  package static func ignored(_ plan: PackagePlan) -> [Ignored] {
    plan.ignored.map { Ignored(path: $0.path, reason: $0.reason) }
  }
}
