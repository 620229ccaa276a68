public import HTTPWire
import Synchronization

/// A request as a client would send it, read by the real parser: what a handler gets from the server.
///
/// `Host: depot.test` is added unless the fields name a host. Throws what the parser refuses, and a 400 "incomplete"
/// when the pieces do not make one whole head.
public func request(
  _ method: String, _ target: String, _ fields: KeyValuePairs<String, String> = [:]
) throws(HTTPRefusal) -> HTTPRequest {
  var text = "\(method) \(target) HTTP/1.1\r\n"
  if !fields.contains(where: { $0.key.lowercased() == "host" }) { text += "Host: depot.test\r\n" }
  for (name, value) in fields { text += "\(name): \(value)\r\n" }
  return try request(wire: text + "\r\n")
}

/// A request from its bytes on the wire.
public func request(wire text: String) throws(HTTPRefusal) -> HTTPRequest {
  let bytes = Array(text.utf8)
  var parser = RequestParser(limits: .standard)
  switch parser.parse(bytes, in: 0..<bytes.count) {
  case .request(let request, end: bytes.count): return request
  case .request, .needsMore: throw HTTPRefusal(.badRequest, "incomplete, or more than one head")
  case .refused(let refusal): throw refusal
  }
}

/// A request body that is there already, handed out piece by piece.
public final class BytesBody: RequestBody {
  private let pieces: Mutex<[[UInt8]]>
  private let failure: RequestBodyError?

  /// A body of these pieces; with `failure` it ends in that error instead of an end.
  public init(pieces: [[UInt8]], failure: RequestBodyError? = nil) {
    self.pieces = Mutex(pieces.filter { !$0.isEmpty })
    self.failure = failure
  }

  /// A body cut into pieces of at most `pieceSize` bytes.
  public convenience init(_ bytes: [UInt8] = [], pieceSize: Int = 64 << 10, failure: RequestBodyError? = nil)
  {
    let pieces = stride(from: 0, to: bytes.count, by: pieceSize).map { start in
      Array(bytes[start..<min(start + pieceSize, bytes.count)])
    }
    self.init(pieces: pieces, failure: failure)
  }

  /// A body of text.
  public convenience init(_ text: String) { self.init(Array(text.utf8)) }

  /// The next piece; nil, or the failure, after the last.
  public func next() async throws(RequestBodyError) -> [UInt8]? {
    let piece = pieces.withLock { pieces in pieces.isEmpty ? nil : pieces.removeFirst() }
    if piece == nil, let failure { throw failure }
    return piece
  }
}
