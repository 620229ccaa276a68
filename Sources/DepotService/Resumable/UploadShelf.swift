internal import DepotModel
internal import Platform
internal import ReadAPI
internal import Synchronization

/// The resumable uploads of a depot: `<data>/uploads/<id>.json` and, until it is published or given up, `<id>.part`. They
/// survive whatever ends the server. Any thread; one request at a time may hold an upload.
final class UploadShelf: Sendable {
  let folder: Directory
  /// How long an upload is kept after its last bytes, in seconds.
  let lifetime: Int64
  private let volume: any Volume
  private let claims = Mutex<[UploadID: Claim.Work]>([:])

  init(folder: Directory, lifetime: Int64, volume: any Volume) {
    self.folder = folder
    self.lifetime = lifetime
    self.volume = volume
  }

  /// The right to change an upload, given back when it goes away.
  final class Claim: Sendable {
    enum Work: Sendable { case receiving, publishing }

    let id: UploadID
    private let shelf: UploadShelf

    fileprivate init(_ id: UploadID, _ shelf: UploadShelf) {
      self.id = id
      self.shelf = shelf
    }

    /// Nothing more is received: the package is checked.
    func beginPublishing() { shelf.claims.withLock { $0[id] = .publishing } }

    deinit { shelf.claims.withLock { $0[id] = nil } }
  }

  /// Nil while somebody else has it.
  func claim(_ id: UploadID) -> Claim? {
    let isFree = claims.withLock { claims in
      guard claims[id] == nil else { return false }
      claims[id] = .receiving
      return true
    }
    return isFree ? Claim(id, self) : nil
  }

  /// What is done with an upload now; nil for nothing.
  func work(on id: UploadID) -> Claim.Work? { claims.withLock { $0[id] } }

  func partName(_ id: UploadID) -> String { "\(id).part" }
  private func recordName(_ id: UploadID) -> String { "\(id).json" }

  /// How many have bytes here.
  var count: Int {
    get throws(SystemError) { try folder.names().count { $0.hasSuffix(".part") } }
  }

  /// Nil when there is none, or what is there cannot be read.
  func record(_ id: UploadID) throws(SystemError) -> UploadRecord? {
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = try folder.file(recordName(id), mode: .read)
      bytes = try file.bytes(at: 0, count: Int(clamping: min(file.size, 64 << 20)))
    } catch {
      guard error.isNotFound else { throw error }
      return nil
    }
    return try? JSON.decode(UploadRecord.self, from: bytes)  // Half a record is none.
  }

  /// Keeps the record durably, in one step.
  func save(_ record: UploadRecord, of id: UploadID) throws(SystemError) {
    guard let bytes = try? JSON.encode(record) else {  // Encoding strings and numbers cannot fail.
      throw SystemError(errno: 22, operation: "encode", path: recordName(id))
    }
    let pending = try PendingFile(replacing: recordName(id), in: folder)
    try volume.write(bytes, to: pending.file, at: 0)
    try pending.commit(through: volume)
  }

  /// The bytes that are here, open for more; an empty file when there are none.
  func part(_ id: UploadID) throws(SystemError) -> File {
    try folder.file(partName(id), mode: .readWrite)
  }

  /// How many bytes count. The last one counts only once the package is published: so whoever was cut off before the
  /// answer, or meets a server that was killed meanwhile, sends it again and is told what became of all.
  func offset(of record: UploadRecord, _ id: UploadID) throws(SystemError) -> Int64 {
    switch record.outcome?.kind {
    case .published: return record.length
    case .refused, .expired: return 0
    case nil:
      let size = try folder.status(of: partName(id))?.size ?? 0
      return min(size, record.provenSize ?? size, record.length - 1)
    }
  }

  /// Adds bytes; they are durable only after `synchronize`.
  func write(_ bytes: [UInt8], to part: File, at offset: Int64) throws(SystemError) {
    try volume.write(bytes, to: part, at: offset)
  }

  func synchronize(_ part: File) throws(SystemError) { try volume.synchronize(part) }

  func removePart(_ id: UploadID) throws(SystemError) { _ = try folder.removeFile(partName(id)) }

  /// Removes all of it.
  func remove(_ id: UploadID) throws(SystemError) {
    try removePart(id)
    _ = try folder.removeFile(recordName(id))
    try volume.synchronize(folder)
  }

  /// Gives up what has expired, and forgets what was given up or is over for as long again; returns how many were given
  /// up. `isStarting`: nobody can be using anything, so what a crash left half made goes too.
  func sweep(now: Int64, isStarting: Bool) throws(SystemError) -> Int {
    var expired = 0
    let names = try folder.names()
    for name in names {
      if isStarting, PendingFile.isPendingName(name) { _ = try folder.removeFile(name) }
      guard let id = UploadID(String(name.prefix(32))), let claim = claim(id) else { continue }
      defer { withExtendedLifetime(claim) {} }
      guard var record = try record(id) else {
        try remove(id)
        continue
      }
      guard record.expiresAt <= now else { continue }
      guard record.outcome == nil else {
        try remove(id)
        continue
      }
      try removePart(id)
      record.outcome = UploadRecord.Outcome(kind: .expired)
      record.expiresAt = now + lifetime
      try save(record, of: id)
      expired += 1
    }
    return expired
  }
}
