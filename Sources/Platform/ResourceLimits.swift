internal import Glibc

/// What the kernel lets this process have.
public enum ResourceLimits {
  /// Processors that are there to run on, at least one.
  public static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

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
}
