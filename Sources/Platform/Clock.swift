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

  /// Minutes since midnight in the machine's time zone (`TZ`, `/etc/localtime`): 0…1439.
  public static var localMinuteOfDay: Int {
    var now = time(nil)
    var parts = unsafe tm()
    // Reads the zone's file anew only when `TZ` has changed, and fails for no time of this age.
    guard unsafe localtime_r(&now, &parts) != nil else { return 0 }
    return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }

  /// Milliseconds since 1970, leap seconds not counted.
  public static var unixMilliseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
