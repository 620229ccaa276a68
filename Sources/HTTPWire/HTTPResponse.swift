/// A response, its head already in wire form, so that a hot answer is made once and shared by every request for it.
///
/// The server adds `Date`, `X-Request-Id` and `Connection`, and leaves the body out for HEAD.
public struct HTTPResponse: Sendable {
  /// What the status line says.
  public let status: HTTPStatus
  /// Status line and field lines, each ended by CRLF; without the empty line.
  public private(set) var head: [UInt8]
  /// What follows the head; left out for HEAD.
  public let body: ResponseBody
  /// Ends the connection after this response.
  public var closesConnection = false
  /// What it counts as in `TransportMetrics`: the handler's own number for what was asked for, 0 for nothing in particular.
  public var kind: UInt8 = 0

  /// What `Content-Length` says.
  public enum Length: Sendable {
    /// The body's own length.
    case ofBody
    /// Of the representation that a bodiless answer stands for (a 304), or none at all.
    case none
  }

  /// `fields` must not hold Content-Length, Date, Connection or X-Request-Id: they are the server's.
  public init(
    _ status: HTTPStatus, _ fields: HTTPFields = [:], _ body: ResponseBody = .bytes([]),
    length: Length = .ofBody
  ) {
    self.status = status
    self.body = body
    var head: [UInt8] = []
    head.reserveCapacity(512)
    head += "HTTP/1.1 \(status.code) \(status.reason)\r\n".utf8
    for line in fields.lines { head += "\(line.name): \(line.value)\r\n".utf8 }
    // RFC 9110 §8.6: no Content-Length on a 204; on a 304 it is optional.
    if case .ofBody = length, status.code != 204, status.code != 304 {
      head += "Content-Length: \(body.count)\r\n".utf8
    }
    self.head = head
  }

  /// A response whose head was put together from ready parts: as `head` is described, its Content-Length included.
  public init(_ status: HTTPStatus, readyHead head: [UInt8], _ body: ResponseBody) {
    self.status = status
    self.head = head
    self.body = body
  }

  /// The same with another head, which is as `head` is described.
  public func with(head: [UInt8]) -> HTTPResponse {
    var response = self
    response.head = head
    return response
  }

  /// The fields of `head`, read back: for tests and logs, not for the hot path.
  public var fields: HTTPFields {
    var fields = HTTPFields()
    for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields.append(String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
    return fields
  }
}

/// What follows a response head.
public enum ResponseBody: Sendable {
  case bytes([UInt8])
  /// A part of a file, sent by sendfile(2).
  case file(any BodyFile, offset: Int64, count: Int64)
  /// Pieces one after the other, as in `multipart/byteranges`.
  case segments([ResponseBody])

  /// Bytes on the wire.
  public var count: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, _, let count): count
    case .segments(let segments): segments.reduce(0) { $0 + $1.count }
    }
  }
}

/// An open file a response is sent from; it stays open as long as somebody holds this.
public protocol BodyFile: AnyObject, Sendable {
  /// The descriptor to send from, only borrowed.
  var number: Int32 { get }
}
