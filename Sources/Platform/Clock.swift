internal import Glibc

/// The system's clocks.
public enum SystemClock {
  /// Milliseconds of a clock that never jumps; its zero means nothing.
  public static var monotonicMilliseconds: Int64 { monotonicNanoseconds / 1_000_000 }

  /// Nanoseconds of a clock that never jumps; its zero means nothing.
  public static var monotonicNanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whole seconds since 1970, leap seconds not counted.
  public static var unixSeconds: Int64 { unixMilliseconds / 1000 }

  /// Milliseconds since 1970, leap seconds not counted.
  public static var unixMilliseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
