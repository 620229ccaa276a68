/// Entries whose bytes come bit by bit, and nobody knows how many: `openEntry`, `write` as often as needed, `closeEntry`.
extension ZipWriter {
  /// Begins the file `name`. It is deflated, unless the level is 0 or its name is one of media. `modifiedAt` counts where dates
  /// are kept. Throws `refusedName`, `cannotWrite` and `outOfOrder`.
  public func openEntry(_ name: String, modifiedAt: Int64? = nil) throws(ZipWriteError) {
    try checkReady()
    let path = name.composed
    if let finding = names.refusal(of: path, isFolder: false) { throw .refusedName(finding) }
    let isStored = options.level == 0 || options.storesMedia && PackedMedia.isNamed(path)
    let entry = WrittenEntry(
      path: path, kind: .file, date: date(modifiedAt), headerOffset: output.offset,
      method: isStored ? Method.stored : Method.deflate, cipher: cipher, size: 0)
    do throws(ZipWriteError) {
      try output.append(entry.localHeader)
      state = .inEntry(OpenEntry(path: path, entry: entry, encoder: try encoder(for: entry)))
    } catch {
      abandonEntry(at: entry.headerOffset, because: error)
      throw error
    }
  }

  /// Adds bytes to the open entry. Throws `cannotWrite`, and `outOfOrder` when none is open.
  public func write(_ bytes: [UInt8]) throws(ZipWriteError) {
    let open = try openEntry()
    do throws(ZipWriteError) {
      try open.encoder.write(bytes, count: bytes.count)
    } catch {
      state = .ready
      abandonEntry(at: open.entry.headerOffset, because: error)
      throw error
    }
  }

  /// Ends the open entry. One that became larger than 4 GiB is moved by 20 bytes, to make room for its sizes. Throws as `write`.
  public func closeEntry() throws(ZipWriteError) {
    var open = try openEntry()
    state = .ready
    do throws(ZipWriteError) {
      try open.encoder.finish()
      try seal(&open.entry, open.encoder)
    } catch {
      abandonEntry(at: open.entry.headerOffset, because: error)
      throw error
    }
    names.add(open.path, isFolder: false)
    done.bytes += Int64(open.encoder.size)
    done.entries += 1
  }

  /// Takes back the open entry, as if it had never been begun. Throws `outOfOrder` when none is open.
  public func discardEntry() throws(ZipWriteError) {
    let open = try openEntry()
    state = .ready
    abandonEntry(at: open.entry.headerOffset, because: .cancelled)
  }

  private func openEntry() throws(ZipWriteError) -> OpenEntry {
    guard case .inEntry(let open) = state else {
      try checkReady()
      throw .outOfOrder("no entry is open")
    }
    return open
  }
}
