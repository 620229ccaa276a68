public import Platform

/// A field to send with a request.
public struct RequestField: Sendable, Hashable {
  /// Visible ASCII.
  public let name: String
  /// One line.
  public let value: String

  /// Nil for a name or value that could end its line.
  public init?(_ name: String, _ value: String) {
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    self.name = name
    self.value = value
  }
}

/// A secret for one origin. It is never sent anywhere else, whoever asks: another host, port or scheme in a URL the
/// server names, or behind a redirect, gets the request without it.
public struct BearerToken: Sendable {
  let field: RequestField
  let origin: WebURL.Origin

  /// Nil for a token that cannot stand in a field.
  public init?(_ token: String, for origin: WebURL.Origin) {
    guard !token.isEmpty, let field = RequestField("Authorization", "Bearer \(token)") else { return nil }
    self.field = field
    self.origin = origin
  }
}

/// A small request whose whole answer is wanted in memory.
public struct FetchRequest: Sendable {
  /// What is asked of the resource (RFC 9110 §9.3).
  public enum Method: String, Sendable, Hashable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// What is asked.
  public var method: Method
  /// Where it goes.
  public var url: WebURL
  /// Beside those the engine sends by itself; `Content-Type` belongs here when there is a body.
  public var fields: [RequestField]
  /// Sent while the request is at the token's origin.
  public var authorization: BearerToken?
  /// Not sent with GET and HEAD.
  public var body: [UInt8]?
  /// For the whole exchange, redirects included; nil: only the engine's stall timeout applies.
  public var deadline: Duration?

  /// A request; nothing is sent yet.
  public init(
    _ method: Method = .get, _ url: WebURL, fields: [RequestField] = [], authorization: BearerToken? = nil,
    body: [UInt8]? = nil, deadline: Duration? = .seconds(120)
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.authorization = authorization
    self.body = body
    self.deadline = deadline
  }
}

/// The whole answer to a fetch or an upload, whatever its status.
public struct FetchResponse: Sendable {
  /// Status and fields.
  public let head: ResponseHead
  /// Decoded when it came with gzip.
  public let body: [UInt8]
  /// Where it came from in the end, redirects followed.
  public let url: WebURL

  /// 200…599.
  public var status: Int { head.status }

  /// The first value of the field of that name, whatever its case.
  public subscript(name: String) -> String? { head[name] }

  /// The body as text; bytes that are not UTF-8 are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// What to throw when only a 2xx will do; nil for one.
  public var failure: TransferError? {
    head.isSuccess ? nil : .status(StatusFailure(head: head, body: body, url: url.text))
  }
}

/// A GET whose body goes to a sink as it comes. `Accept-Encoding` is never sent and a coded body refused, so that
/// offsets mean what `Range` says.
public struct DownloadRequest: Sendable {
  /// Where it goes.
  public var url: WebURL
  /// `Range` and `If-Range` belong here.
  public var fields: [RequestField]
  /// Sent while the request is at the token's origin.
  public var authorization: BearerToken?
  /// For the whole exchange; nil: only the engine's stall timeout applies.
  public var deadline: Duration?

  /// A request; nothing is sent yet.
  public init(
    _ url: WebURL, fields: [RequestField] = [], authorization: BearerToken? = nil, deadline: Duration? = nil
  ) {
    self.url = url
    self.fields = fields
    self.authorization = authorization
    self.deadline = deadline
  }
}

/// How a download ended that nothing went wrong with on the wire. Whether the bytes are the right ones is for the
/// caller to prove: a body that ends with its connection can be cut without any sign.
public struct TransferOutcome: Sendable {
  /// Status and fields.
  public let head: ResponseHead
  /// Of the body, handed to the sink.
  public let bytesReceived: Int64
  /// Where it came from in the end, redirects followed.
  public let url: WebURL
}

/// A file to send as the body of a POST or PATCH, with `Expect: 100-continue` so that a refusal comes before the bytes go.
public struct UploadRequest: Sendable {
  /// Where it goes.
  public var url: WebURL
  /// POST unless told.
  public var method: FetchRequest.Method = .post
  /// Read with offsets, to its end.
  public var file: File
  /// Where the bytes begin that are sent.
  public var offset: Int64 = 0
  /// Sent as `Content-Type`.
  public var contentType: String
  /// Beside those the engine sends by itself.
  public var fields: [RequestField]
  /// Sent while the request is at the token's origin.
  public var authorization: BearerToken?
  /// How long the server may think once it has everything.
  public var answerTimeout: Duration

  /// A request; nothing is sent yet.
  public init(
    _ url: WebURL, file: File, contentType: String = "application/zip", fields: [RequestField] = [],
    authorization: BearerToken? = nil, answerTimeout: Duration = .seconds(600)
  ) {
    self.url = url
    self.file = file
    self.contentType = contentType
    self.fields = fields
    self.authorization = authorization
    self.answerTimeout = answerTimeout
  }
}
