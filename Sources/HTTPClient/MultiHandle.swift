internal import CCurl

/// libcurl's multi handle: the connections and what runs over them. Belongs to the engine's thread; `wakeUp` alone may
/// be called from any, while the handle lives.
@safe final class MultiHandle: Sendable {
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  init?(connections: Int) {
    guard let handle = unsafe curl_multi_init() else { return nil }
    unsafe self.handle = handle
    for option in [CURLMOPT_MAX_HOST_CONNECTIONS, CURLMOPT_MAX_TOTAL_CONNECTIONS, CURLMOPT_MAXCONNECTS] {
      _ = unsafe ccurl_multi_set_long(handle, option, connections)
    }
  }

  deinit { unsafe curl_multi_cleanup(handle) }

  /// False when libcurl refuses the handle.
  func add(_ easy: EasyHandle) -> Bool {
    unsafe easy.withHandle { unsafe curl_multi_add_handle(handle, $0) == CURLM_OK }
  }

  /// Ends its transfer, finished or not.
  func remove(_ easy: EasyHandle) {
    unsafe easy.withHandle { _ = unsafe curl_multi_remove_handle(handle, $0) }
  }

  /// Moves what can be moved, without waiting.
  func perform() {
    var running: Int32 = 0
    _ = unsafe curl_multi_perform(handle, &running)
  }

  /// The next transfer that libcurl is done with.
  func nextFinished() -> (identity: UInt, code: CURLcode)? {
    var code = CURLE_OK
    guard let easy = unsafe ccurl_next_finished(handle, &code) else { return nil }
    return (UInt(bitPattern: easy), code)
  }

  /// Waits for the network, a timer of libcurl's, `wakeUp` or the time to pass.
  func poll(milliseconds: Int32) {
    _ = unsafe curl_multi_poll(handle, nil, 0, milliseconds, nil)
  }

  /// Ends a `poll`, this one or the next.
  func wakeUp() { _ = unsafe curl_multi_wakeup(handle) }
}
