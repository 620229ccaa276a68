internal import Platform

/// A lock file of a depot, held (flock(2)) until this goes away or the process ends.
public final class DepotLock: Sendable {
  /// Which of a depot's locks.
  enum Name: String, Sendable {
    /// One server a depot.
    case serve = "serve.lock"
    /// Held shared while a package is on its way in, exclusively by whoever removes leftovers.
    case publish = "publish.lock"
  }

  private let file: File

  private init(_ file: File) { self.file = file }

  /// Waits as long as it takes.
  static func acquire(_ name: Name, _ kind: File.LockKind, in root: Directory) throws(SystemError)
    -> DepotLock
  {
    let file = try root.file(name.rawValue, mode: .readWrite)
    try file.lock(kind)
    return DepotLock(file)
  }

  /// Nil when somebody holds a lock that excludes this one.
  static func tryAcquire(_ name: Name, _ kind: File.LockKind, in root: Directory) throws(SystemError)
    -> DepotLock?
  {
    let file = try root.file(name.rawValue, mode: .readWrite)
    return try file.tryLock(kind) ? DepotLock(file) : nil
  }
}
