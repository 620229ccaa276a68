internal import CCurl

/// A URL taken apart by libcurl's own parser.
struct URLParts {
  var url = ""
  var scheme = ""
  var host = ""
  var port = ""
  var user: String?
  var password: String?

  /// Nil when libcurl cannot read it. A relative `text` needs a `base`.
  init?(_ text: String, base: String?) {
    guard let handle = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(handle) }
    if let base {
      guard unsafe curl_url_set(handle, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
    }
    // A NUL would end the text early for C and not for us.
    guard !text.utf8.contains(0), unsafe curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK,
      unsafe curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK
    else { return nil }

    func part(_ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard unsafe curl_url_get(handle, part, &value, flags) == CURLUE_OK, let value = unsafe value else {
        return nil
      }
      defer { unsafe curl_free(value) }
      return unsafe String(validatingCString: value)
    }

    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
      let port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)), let url = part(CURLUPART_URL)
    else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port
    self.url = url
    user = part(CURLUPART_USER)
    password = part(CURLUPART_PASSWORD)
  }
}
