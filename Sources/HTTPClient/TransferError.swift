public import Platform

/// Why an exchange with a server did not give what was asked for.
public enum TransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The network, as libcurl tells it (libcurl-errors(3)).
  case network(code: Int32, text: String)
  /// The server's certificate, or the file of trusted ones, will not do.
  case certificate(code: Int32, text: String)
  /// The server answered with a status that is no success.
  case status(StatusFailure)
  /// The connection ended inside the head of the response (libcurl calls that a success).
  case headIncomplete
  /// A body of `received` bytes where `expected` were announced.
  case bodyIncomplete(expected: Int64, received: Int64)
  /// Nothing, or next to nothing, came or went for that long.
  case stalled(after: Duration)
  /// The exchange as a whole took longer than it may.
  case deadlineExceeded(Duration)
  /// The body is larger than the caller takes.
  case tooLarge(limit: Int)
  /// The head is larger than any honest one.
  case headTooLarge(limit: Int)
  /// What came is no head of a response, or one that can be read in two ways.
  case headMalformed(String)
  /// A coded body where the bytes themselves were asked for.
  case unexpectedEncoding(String)
  /// Not an http or https URL without credentials.
  case badURL(String)
  /// A redirect to another scheme than http and https, or from https to http.
  case redirectRefused(from: String, to: String)
  /// More redirects than anybody needs.
  case tooManyRedirects(String)
  /// The sink returned false.
  case stoppedByReceiver
  /// The task was cancelled, or the engine stopped.
  case cancelled
  /// The file to send could not be read.
  case unreadable(SystemError)

  /// Whether the same request may well succeed a little later.
  public var isRetryable: Bool {
    switch self {
    // 6 name not resolved, 7 no connection, 16 HTTP/2 framing, 18 body cut, 28 timeout, 35 TLS handshake, 52 nothing
    // came back, 55 and 56 send and receive, 92 HTTP/2 stream.
    case .network(let code, _): [6, 7, 16, 18, 28, 35, 52, 55, 56, 92].contains(code)
    case .status(let failure): [408, 425, 429, 500, 502, 503, 504].contains(failure.status)
    case .headIncomplete, .bodyIncomplete, .stalled, .deadlineExceeded: true
    case .certificate, .tooLarge, .headTooLarge, .headMalformed, .unexpectedEncoding, .badURL,
      .redirectRefused,
      .tooManyRedirects,
      .stoppedByReceiver, .cancelled, .unreadable:
      false
    }
  }

  /// No server was reached, or what was reached does not answer like one.
  public var isUnreachable: Bool {
    switch self {
    case .network, .certificate, .headIncomplete, .bodyIncomplete, .stalled, .deadlineExceeded, .headTooLarge,
      .headMalformed,
      .unexpectedEncoding, .redirectRefused, .tooManyRedirects:
      true
    case .status(let failure): failure.status >= 500
    case .tooLarge, .badURL, .stoppedByReceiver, .cancelled, .unreadable: false
    }
  }

  /// 401 or 403: the token is missing, unknown or does not reach that far.
  public var isNotPermitted: Bool {
    guard case .status(let failure) = self else { return false }
    return failure.status == 401 || failure.status == 403
  }

  /// One line for people.
  public var description: String {
    switch self {
    case .network(let code, let text): "\(text) (curl \(code))"
    case .certificate(let code, let text): "certificate: \(text) (curl \(code))"
    case .status(let failure): failure.description
    case .headIncomplete: "the connection ended inside the head of the response"
    case .bodyIncomplete(let expected, let received): "the body ended after \(received) of \(expected) bytes"
    case .stalled(let time): "no progress for \(time)"
    case .deadlineExceeded(let time): "not done after \(time)"
    case .tooLarge(let limit): "the response is larger than \(limit) bytes"
    case .headTooLarge(let limit): "the head of the response is larger than \(limit) bytes"
    case .headMalformed(let what): "the answer is not HTTP as it should be: \(what)"
    case .unexpectedEncoding(let coding): "the body came with Content-Encoding: \(coding)"
    case .badURL(let text): "not a usable http or https URL: \(text)"
    case .redirectRefused(let from, let to): "redirect from \(from) to \(to) refused"
    case .tooManyRedirects(let url): "too many redirects, the last to \(url)"
    case .stoppedByReceiver: "stopped by the receiver"
    case .cancelled: "cancelled"
    case .unreadable(let error): error.description
    }
  }
}

/// A response whose status is no success, with what a person needs to see of it.
public struct StatusFailure: Sendable, Hashable, CustomStringConvertible {
  /// Status and fields.
  public let head: ResponseHead
  /// The first 64 KiB of the body at most: a problem document (RFC 9457), if the server is one of ours.
  public let body: [UInt8]
  /// Who answered, redirects followed.
  public let url: String

  /// What a response told.
  public init(head: ResponseHead, body: [UInt8], url: String) {
    self.head = head
    self.body = body
    self.url = url
  }

  /// 300…599.
  public var status: Int { head.status }

  /// `Retry-After` as it was sent; `RetryPolicy` reads it.
  public var retryAfter: String? { head["Retry-After"] }

  /// The body as one printable line of at most 300 characters; nil when it is not text.
  public var problem: String? {
    let type = head["Content-Type"]?.lowercased() ?? ""
    guard !body.isEmpty, type.contains("json") || type.hasPrefix("text/plain") else { return nil }
    let text = String(decoding: body.prefix(1200), as: UTF8.self)
    // A server must not be able to write to the terminal or to forge lines in a log.
    let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }
      .joined()
    return String(line.prefix(300))
  }

  /// One line for people.
  public var description: String {
    "status \(status) from \(url)" + (problem.map { ": \($0)" } ?? "")
  }
}
