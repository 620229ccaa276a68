internal import Platform
internal import Synchronization

/// Writes the files of a plan beneath a folder, several at a time.
struct Unpacker: Sendable {
  private let file: File
  private let target: Directory
  private let volume: any Volume
  private let options: UnpackOptions
  private let sharing: (any FileSharing)?
  private let isCancelled: @Sendable () -> Bool

  init(
    _ file: File, into target: Directory, _ volume: any Volume, _ options: UnpackOptions,
    sharing: (any FileSharing)?, isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.file = file
    self.target = target
    self.volume = volume
    self.options = options
    self.sharing = sharing
    self.isCancelled = isCancelled
  }

  /// `entries` are those of the records that are planned, in the same order.
  func run(
    _ records: [Record], _ keys: EntryKeys, _ files: [PackageEntry], only: Set<String>?, _ told: UnpackTold
  ) throws(ZipError) -> UnpackedPackage {
    let entries = only.map { only in files.filter { only.contains($0.path) } } ?? files
    let isWanted = { (record: Record) in record.isPlanned && only?.contains(record.path) != false }
    try told.tell(.begins(files: entries.count, bytes: entries.reduce(0) { $0 + $1.size }))
    let folders = try createFolders(only == nil ? records : records.filter(isWanted))
    let planned = records.indices.filter { isWanted(records[$0]) }
    let opened = OpenFolders(target)
    let nothing = UnpackedFile(sha256: [], crc32: 0, modifiedAtNanoseconds: 0, isShared: false)
    let unpacked = Mutex(Array(repeating: nothing, count: options.digests ? entries.count : 0))
    try EntryTeam(sizes: entries.lazy.map(\.size), threads: options.threads).run {
      (index, buffers) throws(ZipError) in
      guard !isCancelled() else { throw .cancelled }
      try told.tell(.beginsFile(entries[index], index: index))
      let source = (record: records[planned[index]], keys: keys[planned[index]])
      let (parent, leaf) = try opened.parent(of: source.record.path, buffers)
      let done = try write(source, entries[index], as: leaf, in: parent, buffers, told)
      if let done, options.digests { unpacked.withLock { $0[index] = done } }
      try told.ended(entries[index], index)
    }
    try synchronize(folders)
    try told.end()
    return UnpackedPackage(files: unpacked.withLock { $0 }, folders: folders.sorted().map { String($0) })
  }

  // MARK: One file

  private typealias Source = (record: Record, keys: DecryptionKeys?)

  /// Nil when there was one that stays.
  private func write(
    _ source: Source, _ entry: PackageEntry, as leaf: String, in parent: Directory, _ buffers: EntryBuffers,
    _ told: UnpackTold
  ) throws(ZipError) -> UnpackedFile? {
    switch options.existing {
    case .refuse:
      if let shared = try share(source, entry, as: leaf, in: parent, buffers, told) { return shared }
      return try write(source, to: leaf, in: parent, buffers, told)
    case .keep:
      let isThere = try system { () throws(SystemError) in try parent.status(of: leaf) != nil }
      return isThere ? nil : try write(source, to: leaf, in: parent, buffers, told)
    case .replace:
      let name = ".unpacking-\(String(UInt64.random(in: .min ... .max), radix: 16))"
      do throws(ZipError) {
        let done = try write(source, to: name, in: parent, buffers, told)
        try system { () throws(SystemError) in
          try volume.rename(name, in: parent, to: leaf, in: parent)
        }
        return done
      } catch {
        // What failed is what to tell.
        _ = try? parent.removeFile(name)
        throw error
      }
    }
  }

  private func write(
    _ source: Source, to name: String, in parent: Directory, _ buffers: EntryBuffers, _ told: UnpackTold
  ) throws(ZipError) -> UnpackedFile {
    let output = try system { () throws(SystemError) in try parent.file(name, mode: .createNew) }
    var reader = EntryReader(source.record, source.keys, in: file, buffers, digest: false)
    var hash = Hash(.sha256)
    var offset: Int64 = 0
    while let piece = try reader.next() {
      guard !isCancelled() else { throw .cancelled }
      let start = offset
      try system { () throws(SystemError) in try volume.write(piece, to: output, at: start) }
      if options.digests { hash.update(piece) }
      offset += Int64(piece.count)
      try told.wrote(piece.count)
    }
    if let finding = reader.finding { throw .refused([finding]) }
    if options.keepsDates {
      try system { () throws(SystemError) in try output.setModified(at: source.record.modifiedAt) }
    }
    let status = try system { () throws(SystemError) in
      if options.isReadOnly { try output.setPermissions(try output.status.permissions & ~0o222) }
      if options.isDurable { try volume.synchronize(output) }
      return try output.status
    }
    return UnpackedFile(
      sha256: hash.finish(), crc32: reader.crc32, modifiedAtNanoseconds: status.modifiedAtNanoseconds,
      isShared: false)
  }

  /// Lets the entry share the bytes of a file that stands already, once everything that it unpacks to has been compared
  /// with it. Nil when it has to be written.
  private func share(
    _ source: Source, _ entry: PackageEntry, as name: String, in parent: Directory, _ buffers: EntryBuffers,
    _ told: UnpackTold
  ) throws(ZipError) -> UnpackedFile? {
    guard let sharing, source.record.size > 0, let candidate = sharing.candidate(for: entry),
      // One that cannot be read is one that is not shared.
      (try? candidate.file.size) == source.record.size
    else { return nil }
    var reader = EntryReader(source.record, source.keys, in: file, buffers, digest: false)
    var hash = Hash(.sha256)
    var offset: Int64 = 0
    while let piece = try reader.next() {
      guard !isCancelled() else { throw .cancelled }
      guard (try? candidate.file.bytes(at: offset, count: piece.count)) == piece else { return nil }
      if options.digests { hash.update(piece) }
      offset += Int64(piece.count)
    }
    if let finding = reader.finding { throw .refused([finding]) }
    let status = try system { () throws(SystemError) in
      try sharing.share(candidate, as: name, in: parent)
    }
    guard let status else { return nil }
    try told.wrote(Int(offset))
    return UnpackedFile(
      sha256: hash.finish(), crc32: reader.crc32, modifiedAtNanoseconds: status.modifiedAtNanoseconds,
      isShared: true)
  }

  // MARK: Folders

  /// Creates all folders, parents first; those that hold new names.
  private func createFolders(_ records: [Record]) throws(ZipError) -> Set<Substring> {
    var made: Set<Substring> = []
    for record in records {
      if record.isPlannedFolder {
        try create(record.path[...], &made)
      } else if record.isPlanned, let parent = record.path[...].parent {
        try create(parent, &made)
      }
    }
    return made
  }

  private func create(_ path: Substring, _ made: inout Set<Substring>) throws(ZipError) {
    guard !made.contains(path) else { return }
    if let parent = path.parent { try create(parent, &made) }
    try system { () throws(SystemError) in _ = try target.createDirectory(String(path)) }
    made.insert(path)
  }

  private func synchronize(_ folders: Set<Substring>) throws(ZipError) {
    guard options.isDurable else { return }
    do throws(SystemError) {
      // Deepest first is not needed: nothing points at the new tree before the caller says so.
      for path in folders.sorted() { try volume.synchronize(try target.directory(String(path))) }
      try volume.synchronize(target)
    } catch {
      throw .system(error)
    }
  }
}

/// The folders that threads write to just now: neighbours in a zip mostly share one.
private final class OpenFolders: Sendable {
  private let target: Directory
  private let last: Mutex<[ObjectIdentifier: (path: Substring, directory: Directory)]>

  init(_ target: Directory) {
    self.target = target
    last = Mutex([:])
  }

  /// The folder of a file and the file's name in it. A thread is known by its buffers.
  func parent(of path: String, _ buffers: EntryBuffers) throws(ZipError) -> (Directory, String) {
    guard let folder = path[...].parent else { return (target, path) }
    let leaf = String(path[path.utf8.index(after: folder.endIndex)...])
    let thread = ObjectIdentifier(buffers)
    if let open = last.withLock({ $0[thread] }), open.path == folder { return (open.directory, leaf) }
    let directory = try system { () throws(SystemError) in try target.directory(String(folder)) }
    last.withLock { $0[thread] = (folder, directory) }
    return (directory, leaf)
  }
}

extension Substring {
  /// What stands before the last slash; nil without one.
  fileprivate var parent: Substring? {
    utf8.lastIndex(of: UInt8(ascii: "/")).map { self[..<$0] }
  }
}

/// A failure of the system as this module's error.
func system<Result>(_ body: () throws(SystemError) -> Result) throws(ZipError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
