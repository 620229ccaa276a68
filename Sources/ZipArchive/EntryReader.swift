internal import Platform

/// Buffers and an inflater that serve one entry after the other. One thread at a time.
final class EntryBuffers {
  static let inputSize = 128 << 10
  static let outputSize = 256 << 10

  let inflater: Inflater
  var input = [UInt8](repeating: 0, count: inputSize)
  var output = [UInt8](repeating: 0, count: outputSize)

  init() throws(ZipError) {
    guard let inflater = Inflater() else {
      // 12 is ENOMEM.
      throw .system(SystemError(errno: 12, operation: "inflateInit"))
    }
    self.inflater = inflater
  }
}

/// Streams the unpacked bytes of one entry and checks its size and CRC on the way. Never makes more bytes than the entry
/// declares, plus one buffer.
struct EntryReader: ~Copyable {
  private let record: Record
  private let file: File
  private let buffers: EntryBuffers
  private var decryption: EntryDecryption?
  private var checksum = CRC32()
  private var packedHash: Hash?
  /// Compressed bytes read from the file, unpacked bytes given.
  private var taken: Int64 = 0
  private var given: Int64 = 0
  /// What of `buffers.input` is still to be inflated.
  private var start = 0
  private var end = 0
  private var isFinished = false
  /// What is wrong with the entry; set at the latest when `next()` has returned 0.
  private(set) var finding: Finding?

  /// For a record that is readable (`Record.isReadable`). With `digest` the compressed bytes are hashed as they are read,
  /// without what a cipher puts around them.
  init(_ record: Record, in file: File, _ buffers: EntryBuffers, digest: Bool) {
    self.record = record
    self.file = file
    self.buffers = buffers
    packedHash = digest ? Hash(.sha256) : nil
    buffers.inflater.reset()
  }

  /// The next unpacked bytes are the first of `buffers.output`: how many; 0 at the end or after a finding.
  mutating func next() throws(ZipError) -> Int {
    guard !isFinished, finding == nil else { return 0 }
    let count: Int
    if record.contentMethod == Method.stored || record.packedSize == 0 && record.size == 0 {
      // Some writers call an empty entry deflated and write nothing.
      count = try readStored()
    } else {
      count = try inflate()
    }
    if count > 0 {
      given += Int64(count)
      checksum.update(buffers.output, count: count)
    }
    if given > record.size {
      fail(.sizeMismatch, "more bytes come of it than the \(record.size) it declares")
    } else if isFinished && finding == nil {
      judgeEnd()
    }
    return finding == nil ? count : 0
  }

  /// SHA-256 of the compressed bytes, once everything was read without a finding.
  consuming func compressedSHA256() -> [UInt8]? {
    guard isFinished, finding == nil else { return nil }
    return packedHash.take()?.finish()
  }

  private mutating func readStored() throws(ZipError) -> Int {
    let buffers = self.buffers
    let count = try fill(&buffers.output)
    isFinished = taken == record.packedSize
    return count
  }

  private mutating func inflate() throws(ZipError) -> Int {
    let buffers = self.buffers
    while true {
      if start == end && taken < record.packedSize {
        end = try fill(&buffers.input)
        start = 0
        guard finding == nil else { return 0 }
      }
      let step = buffers.inflater.inflate(buffers.input, from: start, to: end, into: &buffers.output)
      start += step.consumed
      switch step.state {
      case .failed(let why):
        fail(.inflateError, "\(why), after \(given + Int64(step.produced)) bytes unpacked")
        return step.produced
      case .finished:
        isFinished = true
        let unused = record.packedSize - taken + Int64(end - start)
        if unused > 0 {
          fail(
            .sizeMismatch,
            "the deflate stream ends \(unused) bytes before the \(record.packedSize) bytes of compressed data do"
          )
        }
        return step.produced
      case .more:
        if step.produced > 0 { return step.produced }
        if start == end && taken == record.packedSize {
          fail(.inflateError, "the deflate stream goes on after the \(taken) bytes of compressed data")
          return 0
        }
      }
    }
  }

  /// Reads the next compressed bytes, deciphered, into `buffer`; how many.
  private mutating func fill(_ buffer: inout [UInt8]) throws(ZipError) -> Int {
    let wanted = Int(min(Int64(buffer.count), record.packedSize - taken))
    let got: Int
    do throws(SystemError) {
      got = try file.read(into: &buffer, count: wanted, at: record.packedOffset + taken)
    } catch {
      throw .system(error)
    }
    if got < wanted {
      fail(
        .truncated, "the file ended while it was read, at offset \(record.packedOffset + taken + Int64(got))")
    }
    if taken == 0, let key = record.key { decryption = try EntryDecryption(key) }
    taken += Int64(got)
    packedHash?.update(buffer, count: got)
    if decryption?.process(&buffer, count: got, isLast: taken == record.packedSize) == false {
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
