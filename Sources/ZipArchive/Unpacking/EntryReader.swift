internal import Platform

/// Gives the unpacked bytes of one entry, piece by piece, and checks its size and CRC on the way. Never makes more bytes
/// than the entry declares, plus one buffer.
///
/// An entry that fits into memory is inflated in one step. Should that fail for any reason, it is read again piece by
/// piece, which tells what is wrong with it and where.
struct EntryReader: ~Copyable {
  private let record: Record
  private let keys: DecryptionKeys?
  private let file: File
  private let buffers: EntryBuffers
  private let wantsDigest: Bool
  private var source: EntrySource
  private var checksum = CRC32()
  /// Unpacked bytes given.
  private var given: Int64 = 0
  /// What of `buffers.input` is still to be inflated.
  private var start = 0
  private var end = 0
  private var isFinished = false
  /// Whether unpacking it in one step was tried, or is out of the question.
  private var isStreamed = false
  /// Bytes of `buffers.budget` that the piece given last may still take up.
  private var held = 0
  /// What is wrong with the entry; set at the latest when `next()` has returned nil.
  private(set) var finding: Finding?

  /// For a record that is readable (`Record.isReadable`), with the keys that open it. With `digest` the compressed bytes are hashed as they are read,
  /// without what a cipher puts around them.
  init(
    _ record: Record, _ keys: DecryptionKeys?, in file: File, _ buffers: EntryBuffers, digest: Bool
  ) {
    self.record = record
    self.keys = keys
    self.file = file
    self.buffers = buffers
    wantsDigest = digest
    source = EntrySource(record, keys, in: file, digest: digest)
    buffers.inflater.reset()
  }

  deinit { if held > 0 { buffers.budget.give(held) } }

  /// The next unpacked bytes; nil at the end or after a finding. Let go of the last ones first.
  mutating func next() throws(ZipError) -> [UInt8]? {
    guard !isFinished, finding == nil else { return nil }
    let piece: [UInt8]
    if record.contentMethod == Method.stored || record.packedSize == 0 && record.size == 0 {
      // Some writers call an empty entry deflated and write nothing.
      piece = try readStored()
    } else if let whole = try inflateWhole() {
      (piece, isFinished) = (whole, true)
    } else {
      piece = try inflate()
    }
    given += Int64(piece.count)
    checksum.update(piece, count: piece.count)
    if given > record.size {
      fail(.sizeMismatch, "more bytes come of it than the \(record.size) it declares")
    } else if isFinished && finding == nil {
      judgeEnd()
    }
    return finding == nil && !piece.isEmpty ? piece : nil
  }

  /// CRC-32 of the unpacked bytes given so far.
  var crc32: UInt32 { checksum.value }

  /// SHA-256 of the compressed bytes, once everything was read without a finding; only once.
  mutating func compressedSHA256() -> [UInt8]? {
    guard isFinished, finding == nil else { return nil }
    return source.takeSHA256()
  }

  private mutating func readStored() throws(ZipError) -> [UInt8] {
    let buffers = self.buffers
    let count = try fill(&buffers.output)
    isFinished = source.left == 0
    return buffers.piece(count)
  }

  /// All of the entry, if there is memory for it and its deflate stream is as long as it should be.
  private mutating func inflateWhole() throws(ZipError) -> [UInt8]? {
    guard !isStreamed else { return nil }
    isStreamed = true
    guard record.size > 0, record.size <= WholeInflater.limit, source.left <= WholeInflater.limit
    else { return nil }
    let buffers = self.buffers
    let (count, size) = (Int(source.left), Int(record.size))
    // Input that fits into the buffer needs no memory of its own.
    let isSmall = count <= EntryBuffers.inputSize
    let need = size + (isSmall ? 0 : count)
    guard buffers.budget.take(need) else { return nil }
    held = need
    var large = isSmall ? [] : [UInt8](repeating: 0, count: count)
    let got = isSmall ? try source.read(into: &buffers.input) : try source.read(into: &large)
    if got == count, !source.isForged,
      let whole = buffers.whole.inflate(isSmall ? buffers.input : large, count: got, size: size)
    {
      return whole
    }
    buffers.budget.give(need)
    held = 0
    source = EntrySource(record, keys, in: file, digest: wantsDigest)
    return nil
  }

  private mutating func inflate() throws(ZipError) -> [UInt8] {
    let buffers = self.buffers
    while true {
      if start == end && source.left > 0 {
        end = try fill(&buffers.input)
        start = 0
        guard finding == nil else { return [] }
      }
      let step = buffers.inflater.inflate(buffers.input, from: start, to: end, into: &buffers.output)
      start += step.consumed
      switch step.state {
      case .failed(let why):
        fail(.inflateError, "\(why), after \(given + Int64(step.produced)) bytes unpacked")
        return []
      case .finished:
        isFinished = true
        let unused = source.left + Int64(end - start)
        if unused > 0 {
          fail(
            .sizeMismatch,
            "the deflate stream ends \(unused) bytes before the \(record.packedSize) bytes of compressed data do"
          )
        }
        return buffers.piece(step.produced)
      case .more:
        if step.produced > 0 { return buffers.piece(step.produced) }
        if start == end && source.left == 0 {
          fail(.inflateError, "the deflate stream goes on after the \(source.taken) bytes of compressed data")
          return []
        }
      }
    }
  }

  /// Reads the next compressed bytes, deciphered, into `buffer`; how many.
  private mutating func fill(_ buffer: inout [UInt8]) throws(ZipError) -> Int {
    let wanted = min(Int64(buffer.count), source.left)
    let got = try source.read(into: &buffer)
    if Int64(got) < wanted {
      fail(.truncated, "the file ended while it was read, at offset \(source.offset)")
    }
    if source.isForged {
      fail(.crcMismatch, "its authentication code is not that of its bytes: they were changed")
    }
    return got
  }

  private mutating func judgeEnd() {
    if given != record.size {
      fail(.sizeMismatch, "\(given) bytes come of it, \(record.size) are declared")
    } else if record.hasCRC && checksum.value != record.crc32 {
      fail(.crcMismatch, "the CRC is \(hex(checksum.value)), \(hex(record.crc32)) is declared")
    }
  }

  private mutating func fail(_ rule: Rule, _ detail: String) {
    if finding == nil { finding = Finding(rule, path: record.path, detail) }
  }
}
