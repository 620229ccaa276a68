internal import CCurl
internal import Glibc

/// What this module asks of the process and of libcurl beside transfers.
enum ClientEnvironment {
  /// libcurl's start-up, once, before any thread of ours uses it; 0 when it went well.
  static let initialised: Int32 = Int32(bitPattern: ccurl_global_init().rawValue)

  /// The variable's value; nil when unset or empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Processors this process may run on, at least one.
  static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Seconds since 1970 of any of the three date forms of RFC 9110 §5.6.7; nil when unreadable.
  static func httpDate(_ text: String) -> Int64? {
    let time = unsafe curl_getdate(text, nil)
    return time < 0 ? nil : Int64(time)
  }
}
