internal import CCurl

/// What this module asks of libcurl beside transfers.
enum Curl {
  /// libcurl's start-up, once, before any thread of ours uses it; 0 when it went well.
  static let initialised: Int32 = Int32(bitPattern: ccurl_global_init().rawValue)

  /// Seconds since 1970 of any of the three date forms of RFC 9110 §5.6.7; nil when unreadable.
  static func httpDate(_ text: String) -> Int64? {
    let time = unsafe curl_getdate(text, nil)
    return time < 0 ? nil : Int64(time)
  }
}
