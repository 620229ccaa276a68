public import Platform

/// Writes a zip: files, folders, data under a name, and streams whose size nobody knows yet.
///
/// What it writes is what our own rules take without a word: names that break one are refused when they are added, sizes
/// stand in the headers and not behind the data, zip64 is there when it is needed and only then, nothing is written twice.
/// An entry that fails, or is cancelled, leaves the archive as it was before; a failure to write ends it.
///
/// Nothing is visible under the archive's name before `finish()`: a new archive, or one that goes on, is written beside it and
/// renamed over it once it is durable. Memory: some 1 MiB, and what the central directory and the names take.
/// One thread at a time; every call blocks on I/O.
public final class ZipWriter {
  enum State {
    case ready
    /// Between `openEntry` and `closeEntry`.
    case inEntry(OpenEntry)
    case finished
    case broken(ZipWriteError)
  }

  /// What `openEntry` began.
  struct OpenEntry {
    let path: String
    var entry: WrittenEntry
    let encoder: EntryEncoder
  }

  let options: ZipWriterOptions
  let output: ZipOutput
  let buffers: EncoderBuffers
  let volume: any Volume
  /// Nil when the caller looks after the file.
  let pendingFile: PendingFile?
  var directory: WrittenDirectory
  var names: NameLedger
  var state = State.ready
  /// Of everything added so far.
  var done = WriteProgress(bytes: 0, entries: 0)

  /// Writes into `file`, which the caller created, makes durable and gives its name; what is in it is overwritten, and cut
  /// off behind the archive's end. Throws `badArgument` for a level that is not 0 to 9 and for an empty password.
  public convenience init(
    to file: File, options: ZipWriterOptions, volume: any Volume = SystemVolume()
  ) throws(ZipWriteError) {
    try self.init(to: file, from: 0, options, volume, pendingFile: nil, WrittenDirectory(), NameLedger())
  }

  /// Creates the archive `name` beneath `directory`, or replaces what is there, when `finish()` is called.
  /// Throws `cannotCreate` and `badArgument`.
  public convenience init(
    creating name: String, in directory: Directory, options: ZipWriterOptions,
    volume: any Volume = SystemVolume()
  ) throws(ZipWriteError) {
    let pending = try Self.pendingFile(name, in: directory)
    try self.init(
      to: pending.file, from: 0, options, volume, pendingFile: pending, WrittenDirectory(), NameLedger())
  }

  init(
    to file: File, from offset: Int64, _ options: ZipWriterOptions, _ volume: any Volume,
    pendingFile: PendingFile?, _ directory: WrittenDirectory, _ names: NameLedger
  ) throws(ZipWriteError) {
    guard (0...9).contains(options.level) else {
      throw .badArgument("a level is a number from 0 to 9, not \(options.level)")
    }
    guard options.password?.isEmpty != true else { throw .badArgument("the password is empty") }
    self.options = options
    self.volume = volume
    self.pendingFile = pendingFile
    self.directory = directory
    self.names = names
    output = ZipOutput(file, from: offset, through: volume)
    buffers = try EncoderBuffers(level: options.level)
  }

  /// Adds `file` from its beginning as `name`, a relative path with `/` between folders; it becomes NFC.
  ///
  /// Throws `refusedName`, `cannotRead`, `sourceChanged` when the file was written to meanwhile, `cannotWrite` and `cancelled`;
  /// `isCancelled` is asked, and progress told, every 256 KiB.
  public func add(
    _ file: File, as name: String, progress: (WriteProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(ZipWriteError) {
    try add(try PackingSource(file), as: name, kind: .file, date: nil, progress, isCancelled)
  }

  /// Adds `data` as the file `name`. `modifiedAt`, in seconds since 1970, counts where dates are kept. Throws as `add(_:as:)`.
  public func add(
    data: [UInt8], as name: String, modifiedAt: Int64? = nil, progress: (WriteProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(ZipWriteError) {
    try add(PackingSource(data), as: name, kind: .file, date: modifiedAt, progress, isCancelled)
  }

  /// Adds an entry for the folder `name` (without a slash behind): only empty folders need one. Throws `refusedName` and `cannotWrite`.
  public func addFolder(_ name: String, modifiedAt: Int64? = nil) throws(ZipWriteError) {
    try add(PackingSource([]), as: name, kind: .folder, date: modifiedAt, { _ in }, { false })
  }

  /// Writes the central directory, makes the archive durable and gives it its name; nothing may be added afterwards.
  /// Throws `cannotWrite`, and `outOfOrder` between `openEntry` and `closeEntry`; what stood under the name stays then.
  @discardableResult
  public func finish() throws(ZipWriteError) -> ZipSummary {
    try checkReady()
    do throws(ZipWriteError) {
      let start = output.offset
      try output.append(directory.headers)
      try output.append(directory.end(directoryAt: start))
      try output.finish()
      let volume = self.volume
      if let pendingFile {
        try onArchive { () throws(SystemError) in try pendingFile.commit(through: volume) }
      }
    } catch {
      state = .broken(error)
      throw error
    }
    state = .finished
    return ZipSummary(entries: Int(directory.entryCount), size: output.offset)
  }

  static func pendingFile(_ name: String, in directory: Directory) throws(ZipWriteError) -> PendingFile {
    do throws(SystemError) {
      return try PendingFile(replacing: name, in: directory)
    } catch {
      throw .cannotCreate(error)
    }
  }

  func checkReady() throws(ZipWriteError) {
    switch state {
    case .ready: return
    case .inEntry(let open): throw .outOfOrder("the entry \(open.path.printable) is still open")
    case .finished: throw .outOfOrder("the archive is finished")
    case .broken(let error): throw error
    }
  }

  /// Takes everything back that was written from `position` on; when that was a failure to write, the archive is lost.
  func abandonEntry(at position: Int64, because error: ZipWriteError) {
    output.rewind(to: position)
    if case .cannotWrite = error { state = .broken(error) }
  }
}

/// How far the writing of an archive is.
public struct WriteProgress: Sendable, Hashable {
  /// Bytes taken in, of all entries so far.
  public var bytes: Int64
  /// Entries finished.
  public var entries: Int
}

/// What was written.
public struct ZipSummary: Sendable, Hashable {
  /// In the archive, those that were there before it went on included.
  public let entries: Int
  /// Bytes of the archive.
  public let size: Int64
}
