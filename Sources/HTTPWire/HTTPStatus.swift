/// A status code with its reason phrase (RFC 9110 §15).
public struct HTTPStatus: Hashable, Sendable {
  /// Three digits.
  public let code: Int
  /// For people; no program reads it.
  public let reason: String

  /// A status that has no name here.
  public init(_ code: Int, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// 200: RFC 9110 §15.3.1.
  public static let ok = HTTPStatus(200, "OK")
  /// 201: RFC 9110 §15.3.2.
  public static let created = HTTPStatus(201, "Created")
  /// 204: RFC 9110 §15.3.5.
  public static let noContent = HTTPStatus(204, "No Content")
  /// 206: RFC 9110 §15.3.7.
  public static let partialContent = HTTPStatus(206, "Partial Content")
  /// 304: RFC 9110 §15.4.5.
  public static let notModified = HTTPStatus(304, "Not Modified")
  /// 307: RFC 9110 §15.4.8.
  public static let temporaryRedirect = HTTPStatus(307, "Temporary Redirect")
  /// 308: RFC 9110 §15.4.9.
  public static let permanentRedirect = HTTPStatus(308, "Permanent Redirect")
  /// 400: RFC 9110 §15.5.1.
  public static let badRequest = HTTPStatus(400, "Bad Request")
  /// 401: RFC 9110 §15.5.2.
  public static let unauthorized = HTTPStatus(401, "Unauthorized")
  /// 403: RFC 9110 §15.5.4.
  public static let forbidden = HTTPStatus(403, "Forbidden")
  /// 404: RFC 9110 §15.5.5.
  public static let notFound = HTTPStatus(404, "Not Found")
  /// 405: RFC 9110 §15.5.6.
  public static let methodNotAllowed = HTTPStatus(405, "Method Not Allowed")
  /// 408: RFC 9110 §15.5.9.
  public static let requestTimeout = HTTPStatus(408, "Request Timeout")
  /// 409: RFC 9110 §15.5.10.
  public static let conflict = HTTPStatus(409, "Conflict")
  /// 410: RFC 9110 §15.5.11.
  public static let gone = HTTPStatus(410, "Gone")
  /// 412: RFC 9110 §15.5.13.
  public static let preconditionFailed = HTTPStatus(412, "Precondition Failed")
  /// 413: RFC 9110 §15.5.14.
  public static let contentTooLarge = HTTPStatus(413, "Content Too Large")
  /// 414: RFC 9110 §15.5.15.
  public static let uriTooLong = HTTPStatus(414, "URI Too Long")
  /// 415: RFC 9110 §15.5.16.
  public static let unsupportedMediaType = HTTPStatus(415, "Unsupported Media Type")
  /// 416: RFC 9110 §15.5.17.
  public static let rangeNotSatisfiable = HTTPStatus(416, "Range Not Satisfiable")
  /// 417: RFC 9110 §15.5.18.
  public static let expectationFailed = HTTPStatus(417, "Expectation Failed")
  /// 421: RFC 9110 §15.5.20.
  public static let misdirectedRequest = HTTPStatus(421, "Misdirected Request")
  /// 422: RFC 9110 §15.5.21.
  public static let unprocessableContent = HTTPStatus(422, "Unprocessable Content")
  /// 423: RFC 4918 §11.3.
  public static let locked = HTTPStatus(423, "Locked")
  /// 429: RFC 6585 §4.
  public static let tooManyRequests = HTTPStatus(429, "Too Many Requests")
  /// 431: RFC 6585 §5.
  public static let headTooLarge = HTTPStatus(431, "Request Header Fields Too Large")
  /// 460: tus 1.0.0, extension checksum.
  public static let checksumMismatch = HTTPStatus(460, "Checksum Mismatch")
  /// 500: RFC 9110 §15.6.1.
  public static let internalServerError = HTTPStatus(500, "Internal Server Error")
  /// 501: RFC 9110 §15.6.2.
  public static let notImplemented = HTTPStatus(501, "Not Implemented")
  /// 503: RFC 9110 §15.6.4.
  public static let serviceUnavailable = HTTPStatus(503, "Service Unavailable")
  /// 505: RFC 9110 §15.6.6.
  public static let versionNotSupported = HTTPStatus(505, "HTTP Version Not Supported")
  /// 507: RFC 4918 §11.5.
  public static let insufficientStorage = HTTPStatus(507, "Insufficient Storage")
}
