internal import CLinux
internal import Glibc
internal import Synchronization

/// The file of a Unix socket that this process listens on. It goes with `remove()`, at the latest with this object,
/// unless another one stands in its place by then.
public final class UnixSocketFile: Sendable {
  private let path: UnixSocketPath
  private let identity: Identity
  private let isRemoved = Atomic(false)

  private struct Identity: Equatable {
    let device: dev_t
    let node: ino_t
  }

  /// The socket that stands there now.
  public init(at path: UnixSocketPath) throws(SystemError) {
    self.path = path
    guard let identity = try Self.identity(of: path) else {
      throw SystemError(errno: ENOENT, operation: "stat", path: path.text)
    }
    self.identity = identity
  }

  deinit { remove() }

  /// Takes the name away, so that nobody new connects; who is connected stays so.
  public func remove() {
    guard !isRemoved.exchange(true, ordering: .relaxed) else { return }
    // Nobody is left who could act on a failure: the next server replaces a file that stays.
    guard let found = try? Self.identity(of: path), found == identity else { return }
    _ = unsafe unlink(path.text)
  }

  /// Removes a socket that nobody listens on any more, as a process that was killed leaves one. One that is alive is
  /// `EADDRINUSE`; what is no socket stays and is `ENOTSOCK`.
  static func removeStale(at path: UnixSocketPath) throws(SystemError) {
    guard let found = try identity(of: path) else { return }
    let number = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw .last("socket", path.text) }
    let probe = FileDescriptor(owning: number)
    let result = unsafe SocketAddress.unix(path).withKernelForm { address, length in
      retryingOnInterrupt { unsafe connect(probe.number, address, length) }
    }
    let failure = result == 0 ? 0 : errno
    switch failure {
    case ECONNREFUSED:
      // Another server may have replaced it meanwhile.
      guard try identity(of: path) == found else { fallthrough }
      guard unsafe unlink(path.text) == 0 || errno == ENOENT else { throw .last("unlink", path.text) }
    // A full backlog, and a socket of another type, are somebody's as well.
    case 0, EAGAIN, EPROTOTYPE: throw SystemError(errno: EADDRINUSE, operation: "bind", path: path.text)
    case ENOENT: break
    default: throw SystemError(errno: failure, operation: "connect", path: path.text)
    }
  }

  /// Nil when nothing stands there.
  private static func identity(of path: UnixSocketPath) throws(SystemError) -> Identity? {
    var status = stat()
    guard unsafe lstat(path.text, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw .last("stat", path.text)
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw SystemError(errno: ENOTSOCK, operation: "bind", path: path.text)
    }
    return Identity(device: status.st_dev, node: status.st_ino)
  }
}

extension Socket {
  /// A listening Unix socket that never waits. Its file has exactly the permissions of `mode`, whatever the umask; a
  /// file that a dead server left is replaced. `EADDRINUSE` when somebody listens there, `ENOTSOCK` when what stands
  /// there is no socket. The file stays when the socket closes: `UnixSocketFile` removes it.
  public static func listening(
    at path: UnixSocketPath, mode: UInt32, backlog: Int32
  ) throws(SystemError) -> Socket {
    try UnixSocketFile.removeStale(at: path)
    let number = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw .last("socket", path.text) }
    let made = Socket(owning: FileDescriptor(owning: number))
    guard unsafe SocketAddress.unix(path).withKernelForm({ unsafe bind(number, $0, $1) }) == 0 else {
      throw .last("bind", path.text)
    }
    // Nobody gets in before listen(2), so that the umask's permissions never count.
    guard unsafe chmod(path.text, mode) == 0, listen(number, backlog) == 0 else {
      let error = SystemError.last("listen", path.text)
      _ = unsafe unlink(path.text)
      throw error
    }
    return made
  }
}
