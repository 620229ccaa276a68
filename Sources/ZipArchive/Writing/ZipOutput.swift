internal import Platform

/// The archive as it grows: appended to through one buffer, patched where a header learns what comes behind it.
/// One thread at a time. Every method throws `cannotWrite`.
final class ZipOutput {
  private static let bufferSize = 256 << 10

  private let file: File
  private let volume: any Volume
  private var pending: [UInt8] = []
  /// Of the first byte of `pending`, from the start of the file.
  private var start: Int64

  /// Begins behind the first `offset` bytes of `file`.
  init(_ file: File, from offset: Int64, through volume: any Volume) {
    self.file = file
    self.volume = volume
    start = offset
    pending.reserveCapacity(Self.bufferSize)
  }

  /// Where the next byte goes.
  var offset: Int64 { start + Int64(pending.count) }

  /// Adds all of `bytes`.
  func append(_ bytes: [UInt8]) throws(ZipWriteError) { try append(bytes, count: bytes.count) }

  /// Adds the first `count` bytes of `bytes`.
  func append(_ bytes: [UInt8], count: Int) throws(ZipWriteError) {
    if pending.count + count > Self.bufferSize { try flush() }
    guard count < Self.bufferSize else {
      try write(count == bytes.count ? bytes : Array(bytes[..<count]), at: start)
      start += Int64(count)
      return
    }
    pending += bytes[..<count]
  }

  /// Replaces what stands at `position`, which was appended before.
  func patch(_ bytes: [UInt8], at position: Int64) throws(ZipWriteError) {
    let early = Int(min(Int64(bytes.count), max(0, start - position)))
    if early > 0 { try write(early == bytes.count ? bytes : Array(bytes[..<early]), at: position) }
    for index in early..<bytes.count { pending[Int(position - start) + index] = bytes[index] }
  }

  /// Forgets everything from `position` on.
  func rewind(to position: Int64) {
    pending.removeLast(min(pending.count, Int(offset - position)))
    start = min(start, position)
  }

  /// Makes room for `count` more bytes at `position` by moving all that is behind it.
  func shift(from position: Int64, by count: Int) throws(ZipWriteError) {
    try flush()
    var end = start
    while end > position {
      let length = Int(min(Int64(Self.bufferSize), end - position))
      let from = end - Int64(length)
      let chunk = try onArchive { () throws(SystemError) in try file.bytes(at: from, count: length) }
      guard chunk.count == length else { throw .cannotWrite(.unexpectedEnd(of: file)) }
      try write(chunk, at: from + Int64(count))
      end = from
    }
    start += Int64(count)
  }

  /// Writes what is pending and cuts the file off behind it.
  func finish() throws(ZipWriteError) {
    try flush()
    try onArchive { () throws(SystemError) in
      if try file.size != start { try file.truncate(to: start) }
    }
  }

  private func flush() throws(ZipWriteError) {
    guard !pending.isEmpty else { return }
    try write(pending, at: start)
    start += Int64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private func write(_ bytes: [UInt8], at position: Int64) throws(ZipWriteError) {
    try onArchive { () throws(SystemError) in try volume.write(bytes, to: file, at: position) }
  }
}
