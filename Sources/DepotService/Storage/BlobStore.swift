internal import DepotModel
internal import HTTPWire
internal import Platform
internal import Synchronization

/// An open package.
final class Blob: BodyFile {
  let file: File
  /// Bytes, as the file system says.
  let size: Int64

  init(_ file: File) throws(SystemError) {
    self.file = file
    size = try file.size
  }

  var number: Int32 { file.number }
}

/// Packages named by their SHA-256, never changed once there, and a bounded number of them kept open.
///
/// Any thread. Opening a package costs system calls but no disk reads worth speaking of.
final class BlobStore: Sendable {
  /// Behind the name of a package that is not what its name says.
  static let asideSuffix = ".damaged"

  private let packages: Directory
  private let volume: any Volume
  private let open: Mutex<OpenBlobs>

  /// Keeps at most `capacity` packages open beside those that responses are being sent from.
  init(packages: Directory, volume: any Volume, capacity: Int) {
    self.packages = packages
    self.volume = volume
    open = Mutex(OpenBlobs(capacity: capacity))
  }

  /// The package with that digest; nil when there is none.
  func blob(for digest: SHA256Digest) throws(SystemError) -> Blob? {
    if let known = open.withLock({ $0.blob(for: digest) }) { return known }
    let place = DepotLayout.place(of: digest)
    let blob: Blob
    do throws(SystemError) {
      blob = try Blob(packages.file("\(place.folder)/\(place.name)", mode: .read))
    } catch {
      guard error.isNotFound else { throw error }
      return nil
    }
    open.withLock { $0.insert(blob, for: digest) }
    return blob
  }

  /// Takes in a complete, synchronized file from another folder of the same file system, durably: once this returns
  /// the package survives a crash. A package that is there already is replaced by its equal.
  func take(_ name: String, from source: Directory, as digest: SHA256Digest) throws(SystemError) {
    let place = DepotLayout.place(of: digest)
    try packages.createDirectory(place.folder)
    // Also when it was there: whoever made it may have been killed before this step.
    try volume.synchronize(packages)
    let folder = try packages.directory(place.folder)
    try volume.rename(name, in: source, to: place.name, in: folder)
    forget(digest)
    try volume.synchronize(folder)
  }

  /// Whether a package of that digest and size lies on the disk, whatever is kept open.
  func holds(_ digest: SHA256Digest, size: Int64) throws(SystemError) -> Bool {
    let place = DepotLayout.place(of: digest)
    return try packages.status(of: "\(place.folder)/\(place.name)")?.size == size
  }

  /// Moves a package that is not what its name says out of the way of readers, to `<hex>.damaged` beside it.
  func setAside(_ digest: SHA256Digest) throws(SystemError) {
    let place = DepotLayout.place(of: digest)
    let folder = try packages.directory(place.folder)
    try volume.rename(place.name, in: folder, to: place.name + Self.asideSuffix, in: folder)
    forget(digest)
    try volume.synchronize(folder)
  }

  /// Closes packages that were removed: as long as one is open, its room on the disk is not free.
  func forgetRemoved() {
    for (digest, blob) in open.withLock({ $0.all }) {
      // What cannot be asked is closed, too: the next reader opens it again.
      if ((try? blob.file.status.links) ?? 0) == 0 { forget(digest) }
    }
  }

  /// Closes what is kept open of a package, once nobody sends from it any more.
  func forget(_ digest: SHA256Digest) {
    open.withLock { $0.remove(digest) }
  }
}

/// Open packages, the one unused for longest going first.
private struct OpenBlobs {
  let capacity: Int
  private var blobs: [SHA256Digest: (blob: Blob, usedAt: UInt64)] = [:]
  private var clock: UInt64 = 0

  init(capacity: Int) { self.capacity = capacity }

  mutating func blob(for digest: SHA256Digest) -> Blob? {
    clock += 1
    guard let blob = blobs[digest]?.blob else { return nil }
    blobs[digest]?.usedAt = clock
    return blob
  }

  mutating func insert(_ blob: Blob, for digest: SHA256Digest) {
    clock += 1
    if blobs.count >= capacity, blobs[digest] == nil,
      let oldest = blobs.min(by: { $0.value.usedAt < $1.value.usedAt })
    {
      blobs[oldest.key] = nil
    }
    blobs[digest] = (blob, clock)
  }

  mutating func remove(_ digest: SHA256Digest) { blobs[digest] = nil }

  var all: [(digest: SHA256Digest, blob: Blob)] { blobs.map { ($0.key, $0.value.blob) } }
}
