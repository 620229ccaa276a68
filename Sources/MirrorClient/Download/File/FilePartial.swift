internal import DepotModel
internal import Platform
internal import Synchronization

/// What has come of a file at a URL: bytes on the disk, their digests, and how many of them would survive a power cut.
///
/// Used by one thread at a time.
final class FilePartial: Sendable {
  private struct State: ~Copyable {
    var sha256: Hash? = Hash(.sha256)
    var md5: Hash?
    var position: Int64 = 0
    var durable: Int64 = 0
  }

  let file: File
  private let volume: any Volume
  private let needsMD5: Bool
  private let state: Mutex<State>

  /// Counts as empty until `load`.
  init(_ file: File, volume: any Volume, needsMD5: Bool) {
    self.file = file
    self.volume = volume
    self.needsMD5 = needsMD5
    state = Mutex(State(md5: needsMD5 ? Hash(.md5) : nil))
  }

  /// Bytes that stand in the file and are in the digests; the next one goes there.
  var position: Int64 { state.withLock { $0.position } }
  /// Bytes that were synchronized.
  var durable: Int64 { state.withLock { $0.durable } }

  /// Takes in the first `trusted` bytes that an earlier run left. What lies beyond was never synchronized and may be
  /// anything; a file that is shorter was changed by somebody: nothing of it counts.
  func load(trusted: Int64, isCancelled: @Sendable () -> Bool) throws(DownloadError) {
    do throws(SystemError) {
      let size = try file.size
      let end = size < trusted ? 0 : trusted
      if size > end { try file.truncate(to: end) }
      while position < end {
        if isCancelled() { break }
        let count = Int(min(256 << 10, end - position))
        let bytes = try file.bytes(at: position, count: count)
        guard bytes.count == count else { throw .unexpectedEnd(of: file) }
        digest(bytes)
      }
      state.withLock { $0.durable = $0.position }
      if position == end { return }
    } catch {
      throw .disk(error)
    }
    throw .cancelled
  }

  /// Writes the next bytes.
  func append(_ bytes: [UInt8]) throws(SystemError) {
    try volume.write(bytes, to: file, at: position)
    digest(bytes)
  }

  /// Until everything that was written is on the disk.
  func synchronize() throws(SystemError) {
    let position = position
    if durable == position, position > 0 { return }
    try volume.synchronize(file)
    state.withLock { $0.durable = position }
  }

  /// Drops everything.
  func restart() throws(SystemError) {
    try file.truncate(to: 0)
    state.withLock { $0 = State(md5: needsMD5 ? Hash(.md5) : nil) }
  }

  /// What is wrong with the whole, or its SHA-256. Ends the digests: ask once.
  func verify(_ download: Download) throws(DownloadError) -> SHA256Digest {
    let (position, sha256, md5) = state.withLock { state in
      (state.position, state.sha256.take()?.finish() ?? [], state.md5.take()?.finish())
    }
    if let size = download.size, position != size { throw .sizeMismatch(expected: size, actual: position) }
    guard let actual = SHA256Digest(bytes: sha256) else { throw .badAnswer("its digest was asked for twice") }
    if let expected = download.sha256, expected != actual {
      throw .digestMismatch(algorithm: "SHA-256", expected: expected.hex, actual: actual.hex)
    }
    if let expected = download.md5, let md5 = md5.flatMap({ MD5Digest(bytes: $0) }), md5 != expected {
      throw .digestMismatch(algorithm: "MD5", expected: expected.hex, actual: md5.hex)
    }
    return actual
  }

  private func digest(_ bytes: [UInt8]) {
    state.withLock { state in
      state.sha256?.update(bytes)
      state.md5?.update(bytes)
      state.position += Int64(bytes.count)
    }
  }
}
