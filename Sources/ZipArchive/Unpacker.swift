internal import Platform

/// Writes the files of a plan beneath a folder, durably if asked to.
struct Unpacker {
  private let file: File
  private let target: Directory
  private let volume: any Volume
  private let isDurable: Bool
  private let buffers: EntryBuffers
  /// The folder that was written to last: neighbours in a zip mostly share it.
  private var open: (path: Substring, directory: Directory)?
  /// Folders that hold new names, for the fsync at the end; empty unless durable.
  private var folders: Set<Substring> = []

  init(_ file: File, into target: Directory, _ volume: any Volume, isDurable: Bool) throws(ZipError) {
    self.file = file
    self.target = target
    self.volume = volume
    self.isDurable = isDurable
    buffers = try EntryBuffers()
  }

  mutating func run(
    _ records: [Record], progress: (UnpackProgress) -> Void, isCancelled: () -> Bool
  ) throws(ZipError) {
    var done = UnpackProgress(bytes: 0, entries: 0)
    for record in records {
      guard !isCancelled() else { throw .cancelled }
      if record.isPlannedFolder {
        _ = try folder(record.path[...])
      } else if record.isPlanned {
        let path = record.path[...]
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = try slash.map { (at) throws(ZipError) in try folder(path[..<at]) } ?? target
        let leaf = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? record.path
        let before = done.bytes
        try Self.write(
          record, of: file, as: leaf, in: parent, volume, buffers, isDurable: isDurable,
          progress: {
            done.bytes = before + $0; progress(done)
          }, isCancelled: isCancelled)
        done.entries += 1
        progress(done)
      }
    }
    try synchronizeFolders()
  }

  /// One entry, apart from all others: nothing is shared but the open files and the caller's buffers.
  static func write(
    _ record: Record, of zip: File, as leaf: String, in parent: Directory, _ volume: any Volume,
    _ buffers: EntryBuffers, isDurable: Bool, progress: (Int64) -> Void, isCancelled: () -> Bool
  ) throws(ZipError) {
    let output = try system { () throws(SystemError) in try parent.file(leaf, mode: .createNew) }
    var reader = EntryReader(record, in: zip, buffers, digest: false)
    var offset: Int64 = 0
    while true {
      let count = try reader.next()
      if count == 0 { break }
      guard !isCancelled() else { throw .cancelled }
      let chunk = count == buffers.output.count ? buffers.output : Array(buffers.output[..<count])
      let start = offset
      try system { () throws(SystemError) in try volume.write(chunk, to: output, at: start) }
      offset += Int64(count)
      progress(offset)
    }
    if let finding = reader.finding { throw .refused([finding]) }
    if isDurable { try system { () throws(SystemError) in try volume.synchronize(output) } }
  }

  /// Creates a folder with its parents and opens it.
  private mutating func folder(_ path: Substring) throws(ZipError) -> Directory {
    if let open, open.path == path { return open.directory }
    do throws(SystemError) {
      let directory = try target.createDirectories(String(path))
      open = (path, directory)
      if isDurable { remember(path) }
      return directory
    } catch {
      throw .system(error)
    }
  }

  /// A new folder is a new name in its parent, all the way up.
  private mutating func remember(_ path: Substring) {
    var path = path
    while folders.insert(path).inserted, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      path = path[..<slash]
    }
  }

  private func synchronizeFolders() throws(ZipError) {
    guard isDurable else { return }
    do throws(SystemError) {
      // Deepest first is not needed: nothing points at the new tree before the caller says so.
      for path in folders.sorted() { try volume.synchronize(try target.directory(String(path))) }
      try volume.synchronize(target)
    } catch {
      throw .system(error)
    }
  }
}

/// A failure of the system as this module's error.
func system<Result>(_ body: () throws(SystemError) -> Result) throws(ZipError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
