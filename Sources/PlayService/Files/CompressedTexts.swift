internal import Platform
internal import Synchronization
internal import ZipArchive

/// Texts of the versions that are being played, compressed once and kept as long as there is room. Any thread.
final class CompressedTexts: Sendable {
  /// What came of compressing a file.
  enum Outcome: Sendable {
    case bytes([UInt8])
    /// Not smaller, or not to be done: it is sent as it is.
    case unworthy
  }

  private struct Key: Hashable {
    let version: ObjectIdentifier
    let path: String
    let inode: UInt64
    let modifiedAt: Int64
    let size: Int64
  }

  private struct Entry {
    var outcome: Outcome?
    var waiting: [CheckedContinuation<Void, Never>] = []
    var usedAt: UInt64 = 0

    var weight: Int {
      if case .bytes(let bytes) = outcome { bytes.count + 256 } else { 256 }
    }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var weight = 0
    var uses: UInt64 = 0
  }

  /// Larger files are sent as they are: nobody waits for a second that saves less.
  static let largest: Int64 = 16 << 20

  private let byteLimit: Int
  private let state = Mutex(State())

  /// Keeps at most about `byteLimit` bytes.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// Bytes kept now, about.
  var weight: Int { state.withLock { $0.weight } }

  /// What became of a file; nil when it was not compressed yet, or was forgotten.
  func outcome(_ version: ServedVersion, _ path: String, _ status: FileStatus) -> Outcome? {
    let key = Self.key(version, path, status)
    return state.withLock { state in
      guard let outcome = state.entries[key]?.outcome else { return nil }
      state.uses += 1
      state.entries[key]?.usedAt = state.uses
      return outcome
    }
  }

  /// Compresses a file, once for all who ask meanwhile. Blocks the thread, some 10 ms a megabyte.
  func compress(_ file: File, _ version: ServedVersion, _ path: String, _ status: FileStatus) async {
    let key = Self.key(version, path, status)
    let isOurs = state.withLock { state in
      guard state.entries[key] == nil else { return false }
      state.entries[key] = Entry()
      state.weight += 256
      return true
    }
    guard isOurs else { return await wait(for: key) }
    settle(key, Self.outcome(of: file, size: status.size))
  }

  /// Forgets all of a version.
  func forget(_ version: ServedVersion) {
    let identifier = ObjectIdentifier(version)
    state.withLock { state in
      for (key, entry) in state.entries where key.version == identifier && entry.outcome != nil {
        state.entries[key] = nil
        state.weight -= entry.weight
      }
    }
  }

  private static func key(_ version: ServedVersion, _ path: String, _ status: FileStatus) -> Key {
    Key(
      version: ObjectIdentifier(version), path: path, inode: status.inode,
      modifiedAt: status.modifiedAtNanoseconds, size: status.size)
  }

  private static func outcome(of file: File, size: Int64) -> Outcome {
    // A file that cannot be read is told when it is sent.
    guard size <= largest, let bytes = try? file.bytes(at: 0, count: Int(size)), bytes.count == Int(size),
      let small = Gzip.compress(bytes), small.count < bytes.count
    else { return .unworthy }
    return .bytes(small)
  }

  private func wait(for key: Key) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        guard let entry = state.entries[key], entry.outcome == nil else { return true }
        state.entries[key]?.waiting.append(continuation)
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  private func settle(_ key: Key, _ outcome: Outcome) {
    let waiting = state.withLock { state in
      let waiting = state.entries[key]?.waiting ?? []
      state.uses += 1
      let entry = Entry(outcome: outcome, usedAt: state.uses)
      state.entries[key] = entry
      state.weight += entry.weight - 256
      if state.weight > byteLimit { Self.makeRoom(&state, sparing: key, upTo: byteLimit / 4 * 3) }
      return waiting
    }
    for reader in waiting { reader.resume() }
  }

  private static func makeRoom(_ state: inout State, sparing kept: Key, upTo limit: Int) {
    let oldest = state.entries.filter { $0.key != kept && $0.value.outcome != nil }
      .sorted { $0.value.usedAt < $1.value.usedAt }
    for (key, entry) in oldest {
      guard state.weight > limit else { return }
      state.entries[key] = nil
      state.weight -= entry.weight
    }
  }
}
