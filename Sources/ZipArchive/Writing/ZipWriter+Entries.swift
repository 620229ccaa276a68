internal import Platform

extension ZipWriter {
  /// Adds one entry whose bytes are all there. `date` nil takes the source's.
  func add(
    _ source: PackingSource, as name: String, kind: Record.Kind, date: Int64?,
    _ progress: (WriteProgress) -> Void, _ isCancelled: () -> Bool
  ) throws(ZipWriteError) {
    try checkReady()
    let path = name.composed
    if let finding = names.refusal(of: path, isFolder: kind == .folder) { throw .refusedName(finding) }
    let start = output.offset
    var source = source
    do throws(ZipWriteError) {
      let head = try source.read(into: &buffers.input)
      let method = method(for: path, kind, source.size, head: buffers.input[..<head])
      var entry = WrittenEntry(
        path: path, kind: kind, date: self.date(date ?? source.modifiedAt), headerOffset: start,
        method: method, cipher: kind == .file && source.size > 0 ? cipher : nil, size: UInt64(source.size))
      var encoder = try encode(&source, head: head, as: entry, progress, isCancelled)
      if method == Method.deflate, !Self.isWorthwhile(encoder) {
        output.rewind(to: start)
        entry.method = Method.stored
        source.rewind()
        let head = try source.read(into: &buffers.input)
        encoder = try encode(&source, head: head, as: entry, progress, isCancelled)
      }
      try source.checkUnchanged()
      try seal(&entry, encoder)
    } catch {
      abandonEntry(at: start, because: error)
      throw error
    }
    names.add(path, isFolder: kind == .folder)
    done.bytes += source.size
    done.entries += 1
    progress(done)
  }

  /// Header and data, from the `head` bytes on that are read already.
  private func encode(
    _ source: inout PackingSource, head: Int, as entry: WrittenEntry, _ progress: (WriteProgress) -> Void,
    _ isCancelled: () -> Bool
  ) throws(ZipWriteError) -> EntryEncoder {
    let buffers = self.buffers
    try output.append(entry.localHeader)
    let encoder = try encoder(for: entry)
    var count = head
    while count > 0 {
      guard !isCancelled() else { throw .cancelled }
      try encoder.write(buffers.input, count: count)
      progress(WriteProgress(bytes: done.bytes + Int64(encoder.size), entries: done.entries))
      count = try source.read(into: &buffers.input)
    }
    try encoder.finish()
    return encoder
  }

  /// What the password asks for.
  var cipher: ZipWriterOptions.Cipher? { options.password == nil ? nil : options.cipher }

  /// Begins the data of an entry whose header is written.
  func encoder(for entry: WrittenEntry) throws(ZipWriteError) -> EntryEncoder {
    guard let encryption = entry.encryption, let password = options.password else {
      return try EntryEncoder(method: entry.method, to: output, buffers, nil)
    }
    return try EntryEncoder(
      method: entry.method, to: output, buffers, EntryEncryption(encryption, password, check: entry.check))
  }

  /// Writes what is known now into the header, and the entry into the directory.
  func seal(_ entry: inout WrittenEntry, _ encoder: EntryEncoder) throws(ZipWriteError) {
    let dataOffset = entry.dataOffset
    entry.crc32 = encoder.crc32
    entry.size = encoder.size
    entry.compressedSize = encoder.compressedSize
    if entry.needsZip64 && !entry.isWide {
      // Nobody said that it would become so large: its data make room for the field.
      try output.shift(from: dataOffset, by: WrittenEntry.zip64Length)
      entry.isWide = true
    }
    try output.patch(entry.localHeader, at: entry.headerOffset)
    try output.append(entry.descriptor)
    directory.add(entry)
  }

  func date(_ unixSeconds: Int64?) -> EntryDate {
    switch options.dates {
    case .fixed: .fixed
    case .kept: unixSeconds.map { EntryDate(unixSeconds: $0) } ?? .fixed
    }
  }

  private func method(
    for path: String, _ kind: Record.Kind, _ size: Int64, head: ArraySlice<UInt8>
  ) -> UInt16 {
    guard options.level > 0, kind == .file, size > 0 else { return Method.stored }
    let isMedia = options.storesMedia && (PackedMedia.isNamed(path) || PackedMedia.begins(head))
    return isMedia ? Method.stored : Method.deflate
  }

  /// Deflate made it smaller, and not so much smaller that readers take it for a bomb (the rule `ratio`).
  private static func isWorthwhile(_ encoder: EntryEncoder) -> Bool {
    let limits = ZipLimits.standard
    let allowed = encoder.compressedSize.multipliedReportingOverflow(by: UInt64(limits.entryRatio))
    let isDense =
      encoder.size > UInt64(limits.ratioFloor) && !allowed.overflow && encoder.size > allowed.partialValue
    return encoder.compressedSize < encoder.size && !isDense
  }
}
