internal import CLinux
internal import Glibc

/// What the kernel lets this process have.
public enum ResourceLimits {
  /// Processors that are there to run on, at least one.
  public static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Bytes of memory this process may use: the machine's, or less where its control group has a limit (cgroups(7), both
  /// versions).
  public static var memory: Int64 {
    let machine = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    return max(0, files.compactMap(number).reduce(machine, min))
  }

  /// The number in a file; nil when there is none, as in `max`.
  private static func number(in path: String) -> Int64? {
    // No such file, or none that can be read, is no limit.
    guard let bytes = try? File(path: path, mode: .read).bytes(at: 0, count: 32) else { return nil }
    return Int64(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
  }

  /// Descriptors this process may have open.
  public static var descriptors: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the soft limit of descriptors to the hard one, and returns what holds then.
  @discardableResult
  public static func raiseDescriptors() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return descriptors }
    limit.rlim_cur = limit.rlim_max
    // Failing leaves the lower limit, which `descriptors` then reports.
    _ = unsafe setrlimit(resource, &limit)
    return descriptors
  }

  /// Has freed memory go back to the system early, at some cost in time: for a program that runs beside others. To be called
  /// before there are threads. False where the C library has no such settings.
  @discardableResult
  public static func keepHeapSmall() -> Bool { clinux_keep_heap_small() != 0 }
}
