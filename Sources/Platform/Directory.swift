internal import CLinux
internal import Glibc

/// An open folder. Every name given to it is resolved beneath it by the kernel (openat2(2) with RESOLVE_BENEATH and
/// RESOLVE_NO_SYMLINKS): neither `..` nor a symlink that somebody planted leads outside.
public final class Directory: Sendable {
  private let descriptor: FileDescriptor
  /// The path it was opened under, for messages.
  public let path: String

  private init(owning descriptor: consuming FileDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a folder that is there; symlinks on the way to it are the operator's and are followed.
  public convenience init(path: String) throws(SystemError) {
    let number = retryingOnInterrupt { unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard number >= 0 else { throw .last("open", path) }
    self.init(owning: FileDescriptor(owning: number), path: path)
  }

  /// Opens a folder, creating it (`permissions` before the umask) and its parents (0755) when missing.
  public convenience init(creating path: String, permissions: UInt32 = 0o755) throws(SystemError) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    let components = path.pathComponents
    for (index, component) in components.enumerated() {
      prefix += (prefix.isEmpty || prefix.hasSuffix("/") ? "" : "/") + component
      let isLast = index == components.count - 1
      if unsafe mkdir(prefix, isLast ? permissions : 0o755) != 0 {
        let failure = SystemError.last("mkdir", prefix)
        guard failure.isAlreadyThere || failure.errno == EISDIR || failure.errno == EROFS else {
          throw failure
        }
      }
    }
    try self.init(path: path.isEmpty ? "." : path)
  }

  /// For calls that only borrow it.
  public var number: Int32 { descriptor.number }

  /// Opens a file beneath this folder; a symlink anywhere in `name` is ELOOP. New files get 0644 before the umask.
  public func file(_ name: String, mode: File.Mode) throws(SystemError) -> File {
    let number = try open(name, flags: mode.flags, permissions: mode == .read ? 0 : 0o644)
    return File(owning: FileDescriptor(owning: number), path: join(name))
  }

  /// Opens a folder beneath this one.
  public func directory(_ name: String) throws(SystemError) -> Directory {
    let number = try open(name, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, permissions: 0)
    return Directory(owning: FileDescriptor(owning: number), path: join(name))
  }

  /// What opening a name found.
  public enum Opened: Sendable {
    /// A regular file, open to be read, and what fstat(2) tells of it.
    case file(File, FileStatus)
    case directory
    /// A symlink, a device, a pipe, a socket: nothing to read.
    case other
  }

  /// Opens what stands beneath this folder without waiting for anybody, as open(2) would for a pipe's other end; nil when
  /// nothing does, and when no file system could hold such a name.
  public func opened(_ name: String) throws(SystemError) -> Opened? {
    let number: Int32
    do throws(SystemError) {
      number = try open(name, flags: O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, permissions: 0)
    } catch {
      switch error.errno {
      case ENOENT, ENOTDIR, ENAMETOOLONG: return nil
      // A symlink; a socket, or a device that is not there.
      case ELOOP, ENXIO, ENODEV: return .other
      default: throw error
      }
    }
    let file = File(owning: FileDescriptor(owning: number), path: join(name))
    let status = try file.status
    switch status.kind {
    case .regular: return .file(file, status)
    case .directory: return .directory
    case .symlink, .other: return .other
    }
  }

  /// Creates one folder (its parent must be there); false when a folder of that name is there already.
  @discardableResult
  public func createDirectory(_ name: String) throws(SystemError) -> Bool {
    let (parent, leaf) = try split(name)
    if unsafe mkdirat(parent.number, leaf, 0o755) == 0 { return true }
    let failure = SystemError.last("mkdir", join(name))
    guard failure.isAlreadyThere, try status(of: name)?.kind == .directory else { throw failure }
    return false
  }

  /// Creates a folder and its parents beneath this one, and opens it.
  public func createDirectories(_ name: String) throws(SystemError) -> Directory {
    var prefix = ""
    for component in name.pathComponents {
      prefix += (prefix.isEmpty ? "" : "/") + component
      try createDirectory(prefix)
    }
    return try directory(name)
  }

  /// What stands at `name`, not following a symlink there; nil when nothing does.
  public func status(of name: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      let (parent, leaf) = try split(name)
      var info = stat()
      guard unsafe fstatat(parent.number, leaf, &info, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw .last("stat", join(name))
      }
      return FileStatus(info)
    } catch {
      guard error.isNotFound || error.errno == ENOTDIR else { throw error }
      return nil
    }
  }

  /// The text a symlink holds; nil when nothing or something else is there.
  public func symlinkTarget(_ name: String) throws(SystemError) -> String? {
    let (parent, leaf) = try split(name)
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      let text = unsafe bytes.assumingMemoryBound(to: CChar.self)
      return unsafe text.baseAddress.map { unsafe readlinkat(parent.number, leaf, $0, text.count) } ?? -1
    }
    guard count >= 0 else {
      let failure = SystemError.last("readlink", join(name))
      guard failure.isNotFound || failure.errno == EINVAL else { throw failure }
      return nil
    }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Creates a symlink; EEXIST when something of that name is there.
  func createSymlink(_ name: String, to target: String) throws(SystemError) {
    let (parent, leaf) = try split(name)
    guard unsafe symlinkat(target, parent.number, leaf) == 0 else { throw .last("symlink", join(name)) }
  }

  /// Moves `name` to `newName` in `target`, replacing a file or symlink there in one step.
  func rename(_ name: String, to newName: String, in target: Directory) throws(SystemError) {
    let (parent, leaf) = try split(name)
    let (newParent, newLeaf) = try target.split(newName)
    guard unsafe renameat(parent.number, leaf, newParent.number, newLeaf) == 0 else {
      throw .last("rename to \(target.join(newName)):", join(name))
    }
  }

  /// Swaps two names in one step (renameat2(2), RENAME_EXCHANGE); EINVAL where the file system cannot.
  func exchange(_ name: String, with other: String, in target: Directory) throws(SystemError) {
    let (parent, leaf) = try split(name)
    let (otherParent, otherLeaf) = try target.split(other)
    guard
      unsafe clinux_renameat2(
        parent.number, leaf, otherParent.number, otherLeaf, UInt32(CLINUX_RENAME_EXCHANGE)) == 0
    else { throw .last("exchange with \(target.join(other)):", join(name)) }
  }

  /// Gives a file a second name; EEXIST when something has that name. A symlink is not followed.
  func link(_ name: String, to newName: String, in target: Directory) throws(SystemError) {
    let (parent, leaf) = try split(name)
    let (newParent, newLeaf) = try target.split(newName)
    guard unsafe linkat(parent.number, leaf, newParent.number, newLeaf, 0) == 0 else {
      throw .last("link to \(target.join(newName)):", join(name))
    }
  }

  /// Removes a file, a symlink or an empty folder; nothing happens when there is none.
  func remove(_ name: String) throws(SystemError) {
    guard let status = try status(of: name) else { return }
    guard status.kind == .directory else {
      try removeFile(name)
      return
    }
    let (parent, leaf) = try split(name)
    guard unsafe unlinkat(parent.number, leaf, AT_REMOVEDIR) == 0 else { throw .last("rmdir", join(name)) }
  }

  /// Until the names in this folder are on the disk.
  func synchronize() throws(SystemError) {
    guard retryingOnInterrupt({ fsync(number) }) == 0 else { throw .last("fsync", path) }
  }

  /// Removes a file or symlink; false when nothing was there.
  @discardableResult
  public func removeFile(_ name: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      let (parent, leaf) = try split(name)
      guard unsafe unlinkat(parent.number, leaf, 0) == 0 else { throw .last("unlink", join(name)) }
      return true
    } catch {
      guard error.isNotFound else { throw error }
      return false
    }
  }

  /// Removes whatever is at `name`, with all that is below it and without following a symlink; false when nothing was.
  @discardableResult
  public func removeTree(_ name: String) throws(SystemError) -> Bool {
    guard let status = try status(of: name) else { return false }
    guard status.kind == .directory else { return try removeFile(name) }
    let folder = try directory(name)
    for child in try folder.names() { try folder.removeTree(child) }
    let (parent, leaf) = try split(name)
    guard unsafe unlinkat(parent.number, leaf, AT_REMOVEDIR) == 0 else { throw .last("rmdir", join(name)) }
    return true
  }

  /// What fstat(2) tells of this folder itself.
  public var status: FileStatus {
    get throws(SystemError) {
      var info = stat()
      guard unsafe fstat(number, &info) == 0 else { throw .last("fstat", path) }
      return FileStatus(info)
    }
  }

  /// The names in this folder, sorted by bytes, without `.` and `..`. A name that is not UTF-8 is an EILSEQ error.
  public func names() throws(SystemError) -> [String] {
    try rawNames().map { (bytes) throws(SystemError) in
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw SystemError(errno: EILSEQ, operation: "readdir", path: path)
      }
      return name
    }
  }

  /// The names in this folder as the file system has them, in any encoding, sorted, without `.` and `..`.
  public func rawNames() throws(SystemError) -> [[UInt8]] {
    let copy = try open(".", flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC, permissions: 0)
    guard let stream = unsafe fdopendir(copy) else {
      let failure = SystemError.last("opendir", path)
      _ = Glibc.close(copy)
      throw failure
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      Glibc.errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard Glibc.errno == 0 else { throw .last("readdir", path) }
        break
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
          unsafe Array(UnsafeBufferPointer(start: start, count: strlen(start)))
        }
      }
      let isDots = name == [UInt8(ascii: ".")] || name == [UInt8](repeating: UInt8(ascii: "."), count: 2)
      if !isDots { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The device this folder lies on: files on different ones cannot be renamed into each other.
  public var device: UInt64 {
    get throws(SystemError) {
      var info = stat()
      guard unsafe fstat(number, &info) == 0 else { throw .last("fstat", path) }
      return UInt64(info.st_dev)
    }
  }

  /// Bytes and inodes that an ordinary user may still take on this folder's file system.
  public var room: Room {
    get throws(SystemError) {
      var info = statvfs()
      guard unsafe fstatvfs(number, &info) == 0 else { throw .last("statvfs", path) }
      func bytes(_ blocks: UInt) -> UInt64 {
        let bytes = UInt64(blocks).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        return bytes.overflow ? .max : bytes.partialValue
      }
      return Room(
        bytes: bytes(info.f_bavail), inodes: UInt64(info.f_favail), allBytes: bytes(info.f_blocks),
        allInodes: UInt64(info.f_files))
    }
  }

  /// What statvfs(3) tells.
  public struct Room: Sendable, Hashable {
    /// Bytes an ordinary user may still write.
    public let bytes: UInt64
    /// Files an ordinary user may still create; 0 where the file system counts none.
    public let inodes: UInt64
    /// Bytes of the whole file system, used or not.
    public let allBytes: UInt64
    /// Files the whole file system can hold; 0 where it counts none.
    public let allInodes: UInt64
  }

  func join(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// The opened parent of `name`, and its last component: the *at calls follow no symlink in a single component.
  private func split(_ name: String) throws(SystemError) -> (parent: Directory, leaf: String) {
    guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      guard name != "..", name != ".", !name.isEmpty else {
        throw SystemError(errno: EINVAL, operation: "resolve", path: join(name))
      }
      return (self, name)
    }
    let leaf = String(name[name.utf8.index(after: slash)...])
    guard leaf != "..", leaf != ".", !leaf.isEmpty else {
      throw SystemError(errno: EINVAL, operation: "resolve", path: join(name))
    }
    return (try directory(String(name[..<slash])), leaf)
  }

  private func open(_ name: String, flags: Int32, permissions: UInt64) throws(SystemError) -> Int32 {
    let resolve = UInt64(RESOLVE_BENEATH) | UInt64(RESOLVE_NO_SYMLINKS) | UInt64(RESOLVE_NO_MAGICLINKS)
    var races = 0
    while true {
      let opened = unsafe clinux_openat2(number, name, UInt64(flags), permissions, resolve)
      if opened >= 0 { return opened }
      switch errno {
      case EINTR: continue
      // openat2(2): a rename raced with the resolution. With O_NONBLOCK also, open(2): somebody holds a lease on the file,
      // and may for a while.
      case EAGAIN where races < 100: races += 1
      // Linux before 5.6 does not have it; older containers' seccomp(2) filters say that it is not permitted.
      case ENOSYS, EPERM: return try openStepwise(name, flags: flags, permissions: permissions)
      default: throw .last("open", join(name))
      }
    }
  }

  /// The same with openat(2) alone, one component after the other: none of them may be `..` or a symlink.
  func openStepwise(_ name: String, flags: Int32, permissions: UInt64) throws(SystemError) -> Int32 {
    var components = name.pathComponents
    guard !name.utf8.starts(with: "/".utf8), !components.contains(".."), let leaf = components.popLast()
    else {
      throw SystemError(errno: name.isEmpty ? ENOENT : EXDEV, operation: "open", path: join(name))
    }
    // A slash at the end asks for a folder.
    let asksForFolder = name.utf8.last == UInt8(ascii: "/") ? O_DIRECTORY : 0
    var parent: FileDescriptor?
    for component in components {
      let step = try openComponent(
        String(component), in: parent?.number ?? number, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, of: name)
      parent = FileDescriptor(owning: step)
    }
    return try openComponent(
      String(leaf), in: parent?.number ?? number, flags | asksForFolder, permissions, of: name)
  }

  private func openComponent(
    _ component: String, in folder: Int32, _ flags: Int32, _ permissions: UInt64, of name: String
  ) throws(SystemError) -> Int32 {
    let opened = retryingOnInterrupt {
      unsafe clinux_openat(folder, component, flags | O_NOFOLLOW, UInt32(permissions))
    }
    guard opened < 0 else { return opened }
    // open(2): with O_DIRECTORY a symlink is ENOTDIR; openat2(2) says ELOOP, and so do we.
    var info = stat()
    let isLink =
      unsafe errno == ENOTDIR && fstatat(folder, component, &info, AT_SYMLINK_NOFOLLOW) == 0
      && info.st_mode & S_IFMT == S_IFLNK
    throw isLink
      ? SystemError(errno: ELOOP, operation: "open", path: join(name)) : .last("open", join(name))
  }
}

extension String {
  /// What stands between the slashes, as the kernel sees them: a slash and a combining mark behind it are one character to
  /// Swift, but two names to open(2).
  fileprivate var pathComponents: [Substring] {
    unicodeScalars.split(separator: "/").map { Substring($0) }
  }
}
