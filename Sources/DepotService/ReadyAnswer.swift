internal import HTTPWire

/// What the cache holds under one target: an answer, and for large ones the same compressed.
struct ReadyAnswer: Sendable {
  let plain: Answer
  /// The same content under `Content-Encoding: gzip`, with an ETag of its own (RFC 9110 §8.8.3.3).
  let compressed: Answer?

  init(_ plain: Answer, compressed: Answer? = nil) {
    self.plain = plain
    self.compressed = compressed
  }

  var weight: Int { plain.weight + (compressed?.weight ?? 0) }

  func response(to request: HTTPRequest) -> HTTPResponse {
    guard let compressed, AcceptEncoding.allowsGzip(request) else { return plain.response(to: request) }
    return compressed.response(to: request)
  }
}
