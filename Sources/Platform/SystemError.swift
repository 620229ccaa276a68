internal import Glibc

/// A system call that failed: which, on what, and why.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// errno(3) as it was right after the call.
  public let errno: Int32
  /// The call or the step, as a person would name it: `open`, `fsync`, `rename`.
  public let operation: String
  /// What it was done to; nil where there is no name.
  public let path: String?

  /// A failure whose errno is known.
  public init(errno: Int32, operation: String, path: String? = nil) {
    self.errno = errno
    self.operation = operation
    self.path = path
  }

  /// Captures errno: call it on the line after the failing call.
  static func last(_ operation: String, _ path: String? = nil) -> SystemError {
    SystemError(errno: Glibc.errno, operation: operation, path: path)
  }

  /// A file that became shorter while it was read.
  public static func unexpectedEnd(of file: File) -> SystemError {
    SystemError(errno: EIO, operation: "read: the file became shorter", path: file.path)
  }

  /// The disk or a quota is full.
  public var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  /// There is nothing of that name.
  public var isNotFound: Bool { errno == ENOENT }
  /// Something else stands where a folder would have to be: nothing can be below it.
  public var isNoFolder: Bool {
    errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG
  }
  /// This process or the system has no descriptors or memory left: a little later there may be.
  public var isExhausted: Bool { errno == EMFILE || errno == ENFILE || errno == ENOMEM }
  /// Something of that name stands there already.
  public var isAlreadyThere: Bool { errno == EEXIST }

  /// For a person: `fsync /data/x: No space left on device`.
  public var description: String {
    let reason = unsafe String(cString: strerror(errno))
    guard let path else { return "\(operation): \(reason)" }
    return "\(operation) \(path): \(reason)"
  }
}

/// Repeats a call that a signal interrupted: the one place where EINTR is handled.
func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
