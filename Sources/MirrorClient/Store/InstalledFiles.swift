public import DepotModel

/// One file of an installed version, as it was written.
public struct InstalledFile: Sendable, Hashable {
  /// Below the version's folder: UTF-8 NFC, `/` separated.
  public let path: String
  /// Bytes.
  public let size: Int64
  /// Of its bytes: an entity tag that holds for as long as the version stands.
  public let sha256: SHA256Digest
  /// Of its bytes.
  public let crc32: UInt32
  /// When it was written, in nanoseconds since 1970: one that differs on disk is a reason to look closer.
  public let modifiedAtNanoseconds: Int64
}

/// The files of an installed version in the order of their paths' bytes, found by path in logarithmic time.
///
/// Some 100 bytes of memory a file beside its path, so that 100,000 are no burden.
public struct InstalledFiles: RandomAccessCollection, Sendable, Hashable {
  private var paths: [String] = []
  private var sizes: [Int64] = []
  private var times: [Int64] = []
  private var checksums: [UInt32] = []
  private var digests: [UInt8] = []
  /// Folders of the package that hold no file, sorted.
  public let emptyFolders: [String]

  /// `folders` may be all of the package's: those that hold files are dropped.
  init(_ files: some Sequence<InstalledFile>, folders: [String]) {
    let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for file in sorted {
      paths.append(file.path)
      sizes.append(file.size)
      times.append(file.modifiedAtNanoseconds)
      checksums.append(file.crc32)
      digests += file.sha256.bytes
    }
    var inUse: Set<Substring> = []
    for file in sorted { inUse.formUnion(file.path.parentFolders) }
    for folder in folders { inUse.formUnion(folder.parentFolders) }
    emptyFolders = folders.filter { !inUse.contains($0[...]) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of files.
  public var endIndex: Int { paths.count }

  /// The file at a place in the order.
  public subscript(position: Int) -> InstalledFile {
    let bytes = Array(digests[position * 32..<position * 32 + 32])
    guard let sha256 = SHA256Digest(bytes: bytes) else {
      preconditionFailure("32 bytes were put in for every file")
    }
    return InstalledFile(
      path: paths[position], size: sizes[position], sha256: sha256, crc32: checksums[position],
      modifiedAtNanoseconds: times[position])
  }

  /// The file of exactly that path; nil when the version has none.
  public func file(at path: String) -> InstalledFile? {
    var (low, high) = (0, paths.count)
    while low < high {
      let middle = (low + high) / 2
      if paths[middle].utf8.lexicographicallyPrecedes(path.utf8) { low = middle + 1 } else { high = middle }
    }
    return low < paths.count && paths[low].utf8.elementsEqual(path.utf8) ? self[low] : nil
  }

  /// Bytes of all files.
  public var totalSize: Int64 { sizes.reduce(0) { $0.addingReportingOverflow($1).partialValue } }
}

extension String {
  /// `a/b/c` → `a`, `a/b`.
  var parentFolders: [Substring] {
    utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }.map { self[..<$0] }
  }
}

/// What a store keeps of a version that is unpacked: its files, and how its package is to be read should one of them have
/// to be unpacked again.
struct UnpackedRecord: Sendable, Hashable {
  var files: InstalledFiles
  /// The wrapper folder that paths have lost, with its slash; empty for none.
  var root: String
  /// How the names in the zip were read.
  var namesEncoding: String
  /// Whether its pages need to be isolated from others, for threads; nil when it was installed before anybody looked.
  var needsIsolation: Bool?
}
