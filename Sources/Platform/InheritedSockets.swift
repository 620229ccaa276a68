internal import CLinux
internal import Glibc

/// Sockets that a service manager opened for this process (sd_listen_fds(3)).
public enum InheritedSockets {
  /// Their descriptors; none when there are no variables, or they are meant for another process. The variables are
  /// unset, so that no child takes the sockets for its own. `EINVAL` when they cannot be read. Call it before there
  /// are other threads: the environment is shared.
  public static func takeDescriptors() throws(SystemError) -> Range<Int32> {
    let environment = ThisProcess.environment
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
    return try descriptors(environment, process: getpid())
  }

  static func descriptors(
    _ environment: [String: String], process: Int32
  ) throws(SystemError) -> Range<Int32> {
    // sd_listen_fds(3): SD_LISTEN_FDS_START.
    let start: Int32 = 3
    guard let owner = environment["LISTEN_PID"] else { return start..<start }
    guard let owner = Int32(owner), owner > 0 else {
      throw SystemError(errno: EINVAL, operation: "LISTEN_PID=\(owner.debugDescription)")
    }
    guard owner == process else { return start..<start }
    let text = environment["LISTEN_FDS"] ?? ""
    guard let count = Int32(text), count > 0, count <= Int32.max - start else {
      throw SystemError(errno: EINVAL, operation: "LISTEN_FDS=\(text.debugDescription)")
    }
    return start..<start + count
  }
}

extension Socket {
  /// Takes over a listening stream socket that this process was started with, and makes it one that never waits and
  /// that no child gets. Anything else is an error, and stays open.
  public static func inherited(_ number: Int32) throws(SystemError) -> Socket {
    let name = "descriptor \(number)"
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0 else { throw .last("LISTEN_FDS", name) }
    guard try option(SO_TYPE, of: number, name) == Int32(SOCK_STREAM.rawValue),
      try option(SO_ACCEPTCONN, of: number, name) == 1
    else { throw SystemError(errno: EINVAL, operation: "not a listening stream socket:", path: name) }
    let family = try option(SO_DOMAIN, of: number, name)
    guard [AF_INET, AF_INET6, AF_UNIX].contains(family) else {
      throw SystemError(errno: EAFNOSUPPORT, operation: "LISTEN_FDS", path: name)
    }
    guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else {
      throw .last("fcntl", name)
    }
    let taken = Socket(owning: FileDescriptor(owning: number))
    if family != AF_UNIX { taken.sendWithoutDelay() }
    return taken
  }

  private static func option(_ option: Int32, of number: Int32, _ name: String) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(number, SOL_SOCKET, option, &value, &length) == 0 else {
      throw .last("LISTEN_FDS", name)
    }
    return value
  }
}
