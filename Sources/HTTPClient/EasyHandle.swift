internal import CCurl
internal import Platform

/// One of libcurl's easy handles, used for one transfer after the other. Belongs to the engine's thread.
@safe final class EasyHandle {
  private let handle: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var fieldList: UnsafeMutablePointer<curl_slist>?

  init?() {
    guard let handle = unsafe curl_easy_init() else { return nil }
    unsafe self.handle = handle
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(fieldList)
    unsafe errorText.deallocate()
  }

  /// Tells handles apart.
  var identity: UInt { UInt(bitPattern: unsafe handle) }

  /// Lends the handle to a multi handle's calls.
  func withHandle<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    unsafe body(handle)
  }

  /// Sets everything for one transfer. The handle does not retain `transfer`: the caller keeps it until the handle has
  /// left its multi handle.
  func prepare(for transfer: Transfer, settings: HTTPClientSettings, caFile: String?) {
    unsafe curl_easy_reset(handle)
    unsafe errorText[0] = 0
    let order = transfer.order
    set(CURLOPT_URL, order.url.text)
    // Redirects are ours to judge, and file, ftp and the rest are nobody's business here.
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connectTimeout.milliseconds))
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_BUFFERSIZE, ChunkRing.chunkSize)
    set(CURLOPT_UPLOAD_BUFFERSIZE, ChunkRing.chunkSize)
    set(CURLOPT_USERAGENT, settings.userAgent)
    if let caFile { set(CURLOPT_CAINFO, caFile) }
    if let proxy = settings.proxy { set(CURLOPT_PROXY, proxy) }
    if let path = settings.unixSocket {
      set(CURLOPT_UNIX_SOCKET_PATH, path)
      // Not even one that the environment names.
      set(CURLOPT_PROXY, "")
    }
    setVersionAndCoding(order)
    setMethod(order)
    setFields(order)
    setCallbacks(transfer)
  }

  /// After the handle left its multi handle: nothing of the transfer is referred to any more.
  func clear() {
    unsafe curl_easy_reset(handle)
    unsafe curl_slist_free_all(fieldList)
    unsafe fieldList = nil
  }

  /// Goes on after a pause; the write callback may be called from within.
  func unpause() { _ = unsafe ccurl_continue(handle) }

  /// Connections made for the last transfer.
  var connectionsMade: Int {
    var count = 0
    _ = unsafe ccurl_get_long(handle, CURLINFO_NUM_CONNECTS, &count)
    return count
  }

  /// What went wrong, in libcurl's words.
  func text(for code: CURLcode) -> String {
    let text = unsafe String(cString: errorText)
    return text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
  }

  private func setVersionAndCoding(_ order: TransferOrder) {
    switch order.delivery {
    case .memory:
      set(CURLOPT_ACCEPT_ENCODING, "gzip")
      let isTLS = order.url.scheme == .https
      set(CURLOPT_HTTP_VERSION, Int(isTLS ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
      if isTLS { set(CURLOPT_PIPEWAIT, 1) }
    case .ring:
      // Over HTTP/2 a paused body holds back others of its connection.
      set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }
  }

  private func setMethod(_ order: TransferOrder) {
    guard let size = order.body.size else {
      switch order.method {
      case .get: set(CURLOPT_HTTPGET, 1)
      case .head: set(CURLOPT_NOBODY, 1)
      case .delete: set(CURLOPT_CUSTOMREQUEST, order.method.rawValue)
      case .post, .put, .patch: setBody(size: 0, of: order)
      }
      return
    }
    setBody(size: size, of: order)
  }

  private func setBody(size: Int64, of order: TransferOrder) {
    set(CURLOPT_POST, 1)
    _ = unsafe ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int(size))
    if order.method != .post { set(CURLOPT_CUSTOMREQUEST, order.method.rawValue) }
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, 3_000)
  }

  private func setFields(_ order: TransferOrder) {
    unsafe curl_slist_free_all(fieldList)
    unsafe fieldList = nil
    for field in order.fields {
      // libcurl takes `name:` for a field to leave out and `name;` for an empty one.
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    // What libcurl would add of its own accord to a POST.
    if case .bytes = order.body { append("Expect:") }
    if !order.fields.contains(where: { $0.name.lowercased() == "content-type" }) { append("Content-Type:") }
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fieldList)
  }

  private func append(_ line: String) {
    // Null is out of memory; the list so far stays as it was.
    guard let longer = unsafe curl_slist_append(fieldList, line) else { return }
    unsafe fieldList = longer
  }

  private func setCallbacks(_ transfer: Transfer) {
    let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_READDATA, context)
    unsafe _ = ccurl_set_pointer(handle, CURLOPT_SEEKDATA, context)
    unsafe _ = ccurl_set_data_function(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      guard let bytes = unsafe bytes, let transfer = unsafe EasyHandle.transfer(context) else { return 0 }
      let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
      return transfer.take(line: line, now: SystemClock.monotonicMilliseconds) ? size * count : 0
    }
    unsafe _ = ccurl_set_data_function(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      guard let bytes = unsafe bytes, let transfer = unsafe EasyHandle.transfer(context) else { return 0 }
      let raw = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      let span = unsafe Span<UInt8>(_unsafeBytes: raw)
      return switch transfer.take(body: span, now: SystemClock.monotonicMilliseconds) {
      case .taken: size * count
      case .pause: ccurl_pause_write()
      case .abort: 0
      }
    }
    unsafe _ = ccurl_set_data_function(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
      guard let bytes = unsafe bytes, let transfer = unsafe EasyHandle.transfer(context),
        let given = transfer.give(atMost: size * count, now: SystemClock.monotonicMilliseconds)
      else { return ccurl_abort_read() }
      unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: given)
      return given.count
    }
    unsafe _ = ccurl_set_seek_function(handle) { context, offset, origin in
      guard origin == SEEK_SET, let transfer = unsafe EasyHandle.transfer(context) else {
        return CURL_SEEKFUNC_FAIL
      }
      return transfer.seek(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
  }

  private static func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  // A refusal of one of these options is a libcurl without it, which the first transfer would show.
  private func set(_ option: CURLoption, _ value: Int) { _ = unsafe ccurl_set_long(handle, option, value) }

  private func set(_ option: CURLoption, _ value: String) {
    _ = unsafe ccurl_set_string(handle, option, value)
  }
}

extension [UInt8] {
  /// Copies what a span shows.
  mutating func append(_ span: borrowing Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
