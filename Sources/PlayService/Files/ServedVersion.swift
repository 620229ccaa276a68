internal import DepotModel
internal import HTTPWire
internal import Platform
internal import Synchronization

/// A version of a game that is being played: its folder open, and what was found out about its files. Any thread.
final class ServedVersion: Sendable {
  /// What is known of a version besides its bytes.
  struct Contents: Sendable {
    /// Nil when there are too many names to keep.
    let index: FileIndex?
    /// Whether it needs to be isolated, as was found when it was installed.
    let needsIsolation: Bool
    /// Whether the mirror's record told it; else the folder did, and the record may yet.
    let isRecorded: Bool
  }

  /// What a file was found to be that promises a coding.
  struct Finding: Sendable {
    fileprivate let inode: UInt64
    fileprivate let modifiedAt: Int64
    /// Nil when it is in none.
    let coding: ContentCoding?
  }

  let id: GameID
  let version: H5Version
  /// Everything opened through it stays beneath it.
  let folder: Directory
  private let inode: UInt64
  private let device: UInt64
  private let state = Mutex(State())

  /// Findings beyond which they are made again.
  private static let findingLimit = 4000
  /// Warnings beyond which no more are given.
  private static let warningLimit = 1000
  /// Milliseconds before the record is asked again for a version that it did not know: a sync writes it after the files.
  private static let patience: Int64 = 2000

  private struct State {
    var contents: Contents?
    var readAt: Int64 = 0
    var isReading = false
    var readers: [CheckedContinuation<Void, Never>] = []
    var findings: [String: Finding] = [:]
    var warned: Set<String> = []
  }

  init(_ id: GameID, _ version: H5Version, _ folder: Directory, _ status: FileStatus) {
    self.id = id
    self.version = version
    self.folder = folder
    inode = status.inode
    device = status.device
  }

  /// Whether that is still the folder of this version: a sync may have put another in its place.
  func isAt(_ status: FileStatus) -> Bool {
    status.kind == .directory && status.inode == inode && status.device == device
  }

  /// What is known of it; nil when it is to be read first. `now` in monotonic milliseconds.
  func contents(now: Int64) -> Contents? {
    state.withLock { state in
      guard let contents = state.contents, contents.isRecorded || now - state.readAt < Self.patience else {
        return nil
      }
      return contents
    }
  }

  /// Finds out about it with `read`, which is given what was known so far and may block, once for all who ask meanwhile.
  func readContents(now: Int64, _ read: @Sendable (Contents?) -> Contents) async {
    let (isOurs, known) = state.withLock { state in
      defer { state.isReading = true }
      return (!state.isReading, state.contents)
    }
    guard isOurs else { return await waitForContents() }
    let contents = read(known)
    let readers = state.withLock { state in
      state.contents = contents
      state.readAt = now
      state.isReading = false
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.resume() }
  }

  private func waitForContents() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.isReading { state.readers.append(continuation) }
        return !state.isReading
      }
      if isDone { continuation.resume() }
    }
  }

  /// Names that are kept of it.
  var nameCount: Int { state.withLock { $0.contents?.index?.count ?? 0 } }

  /// What was found of a file; nil when nobody has looked yet, or it has changed since.
  func finding(_ path: String, _ status: FileStatus) -> Finding? {
    guard let finding = state.withLock({ $0.findings[path] }), finding.inode == status.inode,
      finding.modifiedAt == status.modifiedAtNanoseconds
    else { return nil }
    return finding
  }

  func note(_ coding: ContentCoding?, _ path: String, _ status: FileStatus) {
    let finding = Finding(
      inode: status.inode, modifiedAt: status.modifiedAtNanoseconds, coding: coding)
    state.withLock { state in
      if state.findings.count >= Self.findingLimit { state.findings = [:] }
      state.findings[path] = finding
    }
  }

  /// True the first time for each path.
  func isFirstWarning(of path: String) -> Bool {
    state.withLock { state in
      state.warned.count < Self.warningLimit && state.warned.insert(path).inserted
    }
  }
}
