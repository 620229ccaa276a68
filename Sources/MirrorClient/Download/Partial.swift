internal import DepotModel
internal import Platform
internal import Synchronization

/// A package that is not whole yet: its file, and both digests of what is in it.
///
/// Used by one thread at a time.
final class Partial: Sendable {
  private struct State: ~Copyable {
    var sha256: Hash? = Hash(.sha256)
    var md5: MD5Lane
    var position: Int64 = 0
  }

  let source: PackageSource
  let file: File
  private let volume: any Volume
  private let hashers: WorkerThreads
  private let state: Mutex<State>

  /// Counts as empty until `load`.
  init(_ source: PackageSource, file: File, volume: any Volume, hashers: WorkerThreads) {
    self.source = source
    self.file = file
    self.volume = volume
    self.hashers = hashers
    state = Mutex(State(md5: MD5Lane(hashers)))
  }

  /// Bytes that stand in the file and are in the digests; the next one goes there.
  var position: Int64 { state.withLock { $0.position } }

  /// Takes in what an earlier attempt left, from the disk: what was written then and what is there now may differ.
  /// What is longer than the whole cannot be its beginning and is dropped. `progress` is told the position.
  func load(
    isCancelled: @Sendable () -> Bool, progress: @Sendable (Int64) -> Void
  ) throws(DownloadError) {
    do throws(SystemError) {
      guard try file.size <= source.size else { return try file.truncate(to: 0) }
      while !isCancelled() {
        // A fresh array each time: the MD5 lane keeps the last ones a while.
        let bytes = try file.bytes(at: position, count: 256 << 10)
        guard !bytes.isEmpty else { return }
        digest(bytes)
        progress(position)
      }
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

  /// Drops everything.
  func restart() throws(SystemError) {
    try file.truncate(to: 0)
    let lane = MD5Lane(hashers)
    state.withLock { $0 = State(md5: lane) }
  }

  /// Until the bytes are on the disk.
  func synchronize() throws(SystemError) { try volume.synchronize(file) }

  /// What is wrong with the whole; nil when its size and both digests are right. Ends the digests: ask once.
  func mismatch() -> DownloadError? {
    let (position, sha256, md5) = state.withLock { state in
      let sha256 = state.sha256.take()?.finish() ?? []
      return (state.position, sha256, state.md5.finish())
    }
    guard position == source.size else { return .sizeMismatch(expected: source.size, actual: position) }
    guard sha256 == source.sha256.bytes else {
      return .digestMismatch(
        algorithm: "SHA-256", expected: source.sha256.hex, actual: SHA256Digest(bytes: sha256)?.hex ?? ""
      )
    }
    guard md5 == source.md5.bytes else {
      return .digestMismatch(
        algorithm: "MD5", expected: source.md5.hex, actual: MD5Digest(bytes: md5)?.hex ?? ""
      )
    }
    return nil
  }

  private func digest(_ bytes: [UInt8]) {
    state.withLock { state in
      // First to the other thread, so that both work at once.
      state.md5.update(bytes)
      state.sha256?.update(bytes)
      state.position += Int64(bytes.count)
    }
  }
}
