internal import Platform

/// Buffers and a deflater that serve one entry after the other. One thread at a time.
final class EncoderBuffers {
  static let inputSize = 256 << 10
  private static let outputSize = 128 << 10

  /// Nil at level 0, where everything is stored.
  let deflater: Deflater?
  var input = [UInt8](repeating: 0, count: inputSize)
  var output = [UInt8](repeating: 0, count: outputSize)

  init(level: Int) throws(ZipWriteError) {
    deflater = level == 0 ? nil : Deflater(level: Int32(level))
    // 12 is ENOMEM.
    guard level == 0 || deflater != nil else {
      throw .cannotCreate(SystemError(errno: 12, operation: "deflateInit"))
    }
  }
}

/// Turns the bytes of one entry into what lies in the zip, and appends that to the archive.
final class EntryEncoder {
  private let output: ZipOutput
  private let buffers: EncoderBuffers
  private let deflater: Deflater?
  private var encryption: EntryEncryption?
  private var checksum = CRC32()
  /// Bytes taken.
  private(set) var size: UInt64 = 0
  /// Bytes appended to the archive, with what the cipher puts around them.
  private(set) var compressedSize: UInt64 = 0

  /// Stores when `method` says so, or when there is no deflater.
  init(
    method: UInt16, to output: ZipOutput, _ buffers: EncoderBuffers, _ encryption: consuming EntryEncryption?
  ) throws(ZipWriteError) {
    self.output = output
    self.buffers = buffers
    deflater = method == Method.deflate ? buffers.deflater : nil
    deflater?.reset()
    let head = encryption?.head ?? []
    self.encryption = encryption
    try append(head)
  }

  /// Of the bytes taken.
  var crc32: UInt32 { checksum.value }

  /// Takes the first `count` bytes of `bytes`.
  func write(_ bytes: [UInt8], count: Int) throws(ZipWriteError) {
    size += UInt64(count)
    checksum.update(bytes, count: count)
    if let deflater {
      try deflate(bytes, count: count, with: deflater, isLast: false)
    } else if encryption == nil {
      try output.append(bytes, count: count)
      compressedSize += UInt64(count)
    } else {
      try store(bytes, count: count)
    }
  }

  /// Appends what is still held back; nothing may be written afterwards.
  func finish() throws(ZipWriteError) {
    if let deflater { try deflate([], count: 0, with: deflater, isLast: true) }
    if let tail = encryption?.tail() { try append(tail) }
  }

  private func append(_ bytes: [UInt8]) throws(ZipWriteError) {
    try output.append(bytes)
    compressedSize += UInt64(bytes.count)
  }

  /// Enciphers what is not deflated.
  private func store(_ bytes: [UInt8], count: Int) throws(ZipWriteError) {
    var start = 0
    while start < count {
      let length = min(buffers.output.count, count - start)
      buffers.output.replaceSubrange(..<length, with: bytes[start..<start + length])
      try emit(length)
      start += length
    }
  }

  /// The first `count` bytes of the output buffer go to the archive.
  private func emit(_ count: Int) throws(ZipWriteError) {
    let buffers = self.buffers
    try encryption?.process(&buffers.output, count: count)
    try output.append(buffers.output, count: count)
    compressedSize += UInt64(count)
  }

  private func deflate(
    _ bytes: [UInt8], count: Int, with deflater: Deflater, isLast: Bool
  ) throws(ZipWriteError) {
    let buffers = self.buffers
    var taken = 0
    while true {
      let step = deflater.deflate(bytes, from: taken, to: count, isLast: isLast, into: &buffers.output)
      guard let step else { throw .outOfOrder("zlib refuses to go on") }
      taken += step.consumed
      if step.produced > 0 { try emit(step.produced) }
      // zlib that fills the output may hold more; otherwise it has taken all there was.
      if isLast ? step.isFinished : taken == count && step.produced < buffers.output.count { return }
    }
  }
}
