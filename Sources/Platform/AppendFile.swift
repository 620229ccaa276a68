internal import Glibc

/// Something bytes are only ever added to: a log file, or a stream of this process.
public final class AppendFile: Sendable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// The path it was opened under, for messages.
  public let path: String

  /// Opens or creates a file (0640 before the umask); several writers may add to it at once.
  public init(path: String) throws(SystemError) {
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC
    let number = retryingOnInterrupt { unsafe Glibc.open(path, flags, 0o640) }
    guard number >= 0 else { throw .last("open", path) }
    descriptor = number
    isOwned = true
    self.path = path
  }

  /// Standard output, which stays open.
  public init(_ stream: Terminal.Stream) {
    descriptor = stream.number
    isOwned = false
    path = "-"
  }

  deinit { if isOwned { _ = Glibc.close(descriptor) } }

  /// Adds all of `bytes`, waiting where it must.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    let failure = writeAll(bytes.span, to: descriptor)
    guard failure == 0 else { throw SystemError(errno: failure, operation: "write", path: path) }
  }
}
