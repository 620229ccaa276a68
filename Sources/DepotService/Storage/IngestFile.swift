internal import DepotModel
internal import Platform
internal import ReadAPI

/// A package on its way in: bytes are hashed as they are written. One task at a time.
///
/// It removes its file when it goes away, unless the file was moved to the packages before.
final class IngestFile {
  /// Bytes in each hashed block of a package but the last, as the manifest tells.
  static let blockSize = Manifest.packageBlockSize

  let name: String
  let file: File
  private(set) var size: Int64 = 0
  private let folder: Directory
  private let volume: any Volume
  private var md5 = Hash(.md5)
  private var sha256 = Hash(.sha256)
  private var block = Hash(.sha256)
  private var blockFill: Int64 = 0
  private var blocks: [SHA256Digest] = []
  private var isMoved = false
  /// Somebody else's until it is moved.
  private let isAdopted: Bool

  /// Creates an empty file of an unused name.
  init(in folder: Directory, volume: any Volume) throws(SystemError) {
    guard let random = Secrets.randomBytes(16), let name = MD5Digest(bytes: random)?.hex else {
      throw SystemError(errno: 11, operation: "random name", path: folder.path)
    }
    self.name = "\(name).zip"
    self.folder = folder
    self.volume = volume
    file = try folder.file(self.name, mode: .createNew)
    isAdopted = false
  }

  /// Takes on a file that is there whole, reading it from its start to its end. Unless it is moved to the packages it stays
  /// where it is.
  init(adopting name: String, in folder: Directory, volume: any Volume) throws(SystemError) {
    self.name = name
    self.folder = folder
    self.volume = volume
    isAdopted = true
    file = try folder.file(name, mode: .readWrite)
    while true {
      let bytes = try file.bytes(at: size, count: Int(Self.blockSize))
      guard !bytes.isEmpty else { break }
      take(bytes)
    }
  }

  deinit {
    // What cannot be removed now is swept at the next start.
    if !isMoved, !isAdopted { _ = try? folder.removeFile(name) }
  }

  /// Adds bytes at the end.
  func append(_ bytes: [UInt8]) throws(SystemError) {
    try volume.write(bytes, to: file, at: size)
    take(bytes)
  }

  private func take(_ bytes: [UInt8]) {
    size += Int64(bytes.count)
    md5.update(bytes)
    sha256.update(bytes)
    var start = 0
    while start < bytes.count {
      let count = min(bytes.count - start, Int(Self.blockSize - blockFill))
      block.update(bytes.span.extracting(start..<start + count))
      start += count
      blockFill += Int64(count)
      if blockFill == Self.blockSize { finishBlock() }
    }
  }

  /// Adds all of another file.
  func append(contentsOf source: File) throws(SystemError) {
    var offset: Int64 = 0
    while case let bytes = try source.bytes(at: offset, count: 1 << 20), !bytes.isEmpty {
      try append(bytes)
      offset += Int64(bytes.count)
    }
  }

  /// The digests of all that was written; nothing may be added afterwards.
  func finish() -> Digests? {
    if blockFill > 0 { finishBlock() }
    guard let md5 = MD5Digest(bytes: take(&md5, .md5)),
      let sha256 = SHA256Digest(bytes: take(&sha256, .sha256))
    else { return nil }
    return Digests(md5: md5, sha256: sha256, blocks: blocks)
  }

  /// Makes the bytes durable and read-only.
  func seal() throws(SystemError) {
    try file.setPermissions(0o444)
    try volume.synchronize(file)
  }

  /// Moves the file to the packages.
  func move(to store: BlobStore, as digest: SHA256Digest) throws(SystemError) {
    try store.take(name, from: folder, as: digest)
    isMoved = true
  }

  /// Gives the file its own name in the folder it is in.
  func rename(to name: String) throws(SystemError) {
    try volume.rename(self.name, in: folder, to: name, in: folder)
    isMoved = true
  }

  struct Digests: Sendable, Hashable {
    let md5: MD5Digest
    let sha256: SHA256Digest
    let blocks: [SHA256Digest]
  }

  private func finishBlock() {
    if let digest = SHA256Digest(bytes: take(&block, .sha256)) { blocks.append(digest) }
    blockFill = 0
  }

  private func take(_ hash: inout Hash, _ function: Hash.Function) -> [UInt8] {
    var next = Hash(function)
    swap(&hash, &next)
    return next.finish()
  }
}
