internal import Platform
internal import Synchronization

/// A mirror's record for those who ask it again and again: kept open as long as the same file stands there.
///
/// Any thread. Nothing a sync would notice is held: readers of a write-ahead log hold up nobody.
final class StandingStore: Sendable {
  private struct Opened {
    let store: Store
    let file: FileStatus
    /// Of how many there were before it.
    let number: Int64
  }
  private struct State {
    var opened: Opened?
    var count: Int64 = 0
  }

  private let destination: String
  private let state = Mutex(State())

  /// Of the mirror in that folder.
  init(destination: String) { self.destination = destination }

  /// What `read` finds in the record as it stands now; nil when there is none.
  func reading<Value>(_ read: (Store) throws(MirrorError) -> Value) throws(MirrorError) -> Value? {
    guard let (store, _) = try current() else { return nil }
    do throws(MirrorError) { return try read(store) } catch {
      // Whatever is wrong may be so of this connection alone.
      state.withLock { $0.opened = nil }
      throw error
    }
  }

  /// A number that differs from the last one here whenever the record may have changed since, or is another file; nil while
  /// there is none, or none that could be seen to change. Costs a look at the file's name, and never waits for a query
  /// unless this object answers some too.
  func changeToken() throws(MirrorError) -> Int64? {
    guard let (store, number) = try current(), let number else { return nil }
    do throws(MirrorError) { return number << 40 | (try store.changeCount() & (1 << 40 - 1)) } catch {
      state.withLock { $0.opened = nil }
      throw error
    }
  }

  /// The store, and its number where it is kept. One read where nothing can be written sees no changes, so it is opened
  /// anew each time.
  private func current() throws(MirrorError) -> (store: Store, number: Int64?)? {
    // Looked at before the store is opened: should the file be replaced between the two, the next look finds another one.
    guard let file = try status() else {
      state.withLock { $0.opened = nil }
      return nil
    }
    if let opened = state.withLock({ $0.opened }), opened.file.inode == file.inode,
      opened.file.device == file.device
    {
      return (opened.store, opened.number)
    }
    guard let store = try Store(standingIn: destination) else { return nil }
    guard store.seesChanges else { return (store, nil) }
    let number = state.withLock { state in
      state.count += 1
      state.opened = Opened(store: store, file: file, number: state.count)
      return state.count
    }
    return (store, number)
  }

  private func status() throws(MirrorError) -> FileStatus? {
    try onDisk { () throws(SystemError) in try FileStatus(path: "\(destination)/\(Store.name)") }
  }
}
