internal import Platform

/// `mirror.lock`, held exclusively until this value goes: one run at a time changes a mirror.
final class MirrorLock: Sendable {
  static let name = "mirror.lock"
  private let file: File

  private init(_ file: File) { self.file = file }

  /// Waits at most `wait` for another run. Throws `locked`, or `cancelled` when the task is.
  static func acquire(in root: Directory, wait: Duration) async throws(MirrorError) -> MirrorLock {
    try await acquire(
      onDisk { () throws(SystemError) in try root.file(name, mode: .readWrite) }, wait: wait)
  }

  /// The same for whoever only reads: nil where nobody has ever locked, and nothing is made.
  static func acquireIfThere(in root: Directory, wait: Duration) async throws(MirrorError) -> MirrorLock? {
    let file: File
    do throws(SystemError) {
      file = try root.file(name, mode: .read)
    } catch {
      guard error.isNotFound else { throw .system(error) }
      return nil
    }
    return try await acquire(file, wait: wait)
  }

  private static func acquire(_ file: File, wait: Duration) async throws(MirrorError) -> MirrorLock {
    let deadline = ContinuousClock.now + wait
    do {
      while try !file.tryLock(.exclusive) {
        guard ContinuousClock.now < deadline else { throw MirrorError.locked(path: file.path) }
        // flock(2) has no timeout, and a signal is no way to end one in a library: ask again.
        try await Task.sleep(for: min(.milliseconds(50), deadline - ContinuousClock.now))
      }
      return MirrorLock(file)
    } catch let error as MirrorError {
      throw error
    } catch let error as SystemError {
      throw .system(error)
    } catch {
      throw .cancelled
    }
  }
}
