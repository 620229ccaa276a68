internal import CLinux
internal import Glibc

/// An open regular file. Reads and writes name their offset, so several threads may use one file at once.
public final class File: Sendable {
  private let descriptor: FileDescriptor
  /// The path it was opened under, for messages.
  public let path: String

  /// How a file is opened.
  public enum Mode: Sendable {
    case read
    /// Creates when missing, keeps what is there.
    case readWrite
    /// Creates; EEXIST when something of that name is there.
    case createNew
  }

  /// Takes over an open descriptor; `path` is for messages.
  public init(owning descriptor: consuming FileDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens close-on-exec; new files get 0644 before the umask. A symlink at the end is followed.
  public convenience init(path: String, mode: Mode) throws(SystemError) {
    let number = retryingOnInterrupt { unsafe Glibc.open(path, mode.flags, 0o644) }
    guard number >= 0 else { throw .last("open", path) }
    self.init(owning: FileDescriptor(owning: number), path: path)
  }

  /// For calls that only borrow it, such as sendfile(2).
  public var number: Int32 { descriptor.number }

  /// Bytes in the file now.
  public var size: Int64 {
    get throws(SystemError) { try status.size }
  }

  /// What fstat(2) tells.
  public var status: FileStatus {
    get throws(SystemError) {
      var info = stat()
      guard unsafe fstat(number, &info) == 0 else { throw .last("fstat", path) }
      return FileStatus(info)
    }
  }

  /// Reads at most `count` bytes at `offset` into the front of `buffer`; fewer only at the end of the file.
  /// `buffer` must hold `count` bytes.
  public func read(into buffer: inout [UInt8], count: Int, at offset: Int64) throws(SystemError) -> Int {
    let wanted = min(count, buffer.count)
    var done = 0
    while done < wanted {
      let start = done
      let got = unsafe buffer.withUnsafeMutableBytes { bytes in
        retryingOnInterrupt {
          unsafe pread(
            number, bytes.baseAddress.map { unsafe $0 + start }, wanted - start, off_t(offset) + start)
        }
      }
      guard got >= 0 else { throw .last("read", path) }
      if got == 0 { break }
      done += got
    }
    return done
  }

  /// The bytes of a range of the file, fewer where the file ends.
  public func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = try read(into: &buffer, count: count, at: offset)
    if got < count { buffer.removeLast(count - got) }
    return buffer
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: borrowing Span<UInt8>, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let start = done
      let put = unsafe bytes.withUnsafeBytes { bytes in
        retryingOnInterrupt {
          unsafe pwrite(
            number, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start, off_t(offset) + start)
        }
      }
      guard put >= 0 else { throw .last("write", path) }
      done += put
    }
  }

  /// Until the bytes and the size are on the disk.
  func synchronize() throws(SystemError) {
    guard retryingOnInterrupt({ fsync(number) }) == 0 else { throw .last("fsync", path) }
  }

  /// Makes the file `size` bytes long, by cutting or by a hole.
  public func truncate(to size: Int64) throws(SystemError) {
    guard retryingOnInterrupt({ ftruncate(number, off_t(size)) }) == 0 else { throw .last("truncate", path) }
  }

  /// Gives `target` the bytes of this file without copying them (ioctl_ficlone(2)).
  func clone(to target: File) throws(SystemError) {
    guard retryingOnInterrupt({ clinux_ficlone(target.number, number) }) == 0 else {
      throw .last("clone to \(target.path):", path)
    }
  }

  /// Sets the permission bits.
  public func setPermissions(_ permissions: UInt32) throws(SystemError) {
    guard fchmod(number, mode_t(permissions)) == 0 else { throw .last("chmod", path) }
  }

  /// Sets when the contents were last changed, and read, in seconds since 1970.
  public func setModified(at seconds: Int64) throws(SystemError) {
    try setModified(timespec(tv_sec: Int(seconds), tv_nsec: 0))
  }

  /// The same in nanoseconds since 1970, as `FileStatus.modifiedAtNanoseconds` tells them.
  public func setModified(atNanoseconds nanoseconds: Int64) throws(SystemError) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // tv_nsec is 0…999,999,999 also before 1970.
    try setModified(
      rest < 0
        ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
        : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest)))
  }

  private func setModified(_ time: timespec) throws(SystemError) {
    guard unsafe futimens(number, [time, time]) == 0 else { throw .last("set the time of", path) }
  }

  /// An advisory lock on the whole file (flock(2)), held until `unlock` or until the file closes.
  /// False when someone else holds a lock that excludes it.
  public func tryLock(_ kind: LockKind) throws(SystemError) -> Bool {
    if retryingOnInterrupt({ flock(number, kind.operation | LOCK_NB) }) == 0 { return true }
    let failure = SystemError.last("flock", path)
    guard failure.errno == EWOULDBLOCK else { throw failure }
    return false
  }

  /// Waits as long as it takes for the lock.
  public func lock(_ kind: LockKind) throws(SystemError) {
    guard retryingOnInterrupt({ flock(number, kind.operation) }) == 0 else { throw .last("flock", path) }
  }

  /// Gives the lock back.
  public func unlock() throws(SystemError) {
    guard flock(number, LOCK_UN) == 0 else { throw .last("flock", path) }
  }

  /// Who else may hold a lock at the same time.
  public enum LockKind: Sendable {
    case shared, exclusive

    var operation: Int32 { self == .shared ? LOCK_SH : LOCK_EX }
  }
}

extension File.Mode {
  var flags: Int32 {
    switch self {
    case .read: O_RDONLY | O_CLOEXEC
    case .readWrite: O_RDWR | O_CREAT | O_CLOEXEC
    case .createNew: O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    }
  }
}

/// The part of stat(2) this project asks for.
public struct FileStatus: Sendable, Hashable {
  /// What stands at a path.
  public enum Kind: Sendable, Hashable { case regular, directory, symlink, other }

  /// What it is.
  public let kind: Kind
  /// Bytes.
  public let size: Int64
  /// Permission bits, 0…0o7777.
  public let permissions: UInt32
  /// Of the last change of the contents, in whole seconds since 1970.
  public let modifiedAt: Int64
  /// The same moment in nanoseconds since 1970: compared, never shown.
  public let modifiedAtNanoseconds: Int64
  /// Its number within the device.
  public let inode: UInt64
  /// Names it has; 0 once all are removed while it is open.
  public let links: UInt64
  /// The device the file lives on: two files with different ones cannot be renamed into each other.
  public let device: UInt64

  /// What stands at `path`, or behind a symlink there; nil when nothing does.
  public init?(path: String) throws(SystemError) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      let error = SystemError.last("stat", path)
      guard error.isNotFound || error.errno == ENOTDIR else { throw error }
      return nil
    }
    self.init(info)
  }

  init(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .directory
    case S_IFLNK: kind = .symlink
    default: kind = .other
    }
    size = Int64(info.st_size)
    permissions = UInt32(info.st_mode & 0o7777)
    modifiedAt = Int64(info.st_mtim.tv_sec)
    modifiedAtNanoseconds = Int64(info.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(info.st_mtim.tv_nsec)
    inode = UInt64(info.st_ino)
    links = UInt64(info.st_nlink)
    device = UInt64(info.st_dev)
  }
}
