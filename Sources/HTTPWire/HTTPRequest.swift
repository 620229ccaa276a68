/// One request head, as places in the bytes it was read into: nothing is copied until somebody asks for a `String`.
///
/// It shares the read buffer, so a holder that keeps a request past the handler's return keeps that buffer alive: call
/// `detached()` first.
public struct HTTPRequest: Sendable {
  /// A part of `bytes`; `count` 0 with `start` 0 means absent.
  public struct Slice: Hashable, Sendable {
    /// Index of the first byte.
    public var start: UInt32
    /// Number of bytes.
    public var count: UInt32

    /// A place; absent without arguments.
    public init(start: Int = 0, count: Int = 0) {
      self.start = UInt32(truncatingIfNeeded: start)
      self.count = UInt32(truncatingIfNeeded: count)
    }

    /// Whether there is nothing, not even something empty.
    public var isAbsent: Bool { start == 0 && count == 0 }
    /// The same as indices.
    public var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// The minor version of HTTP/1 (RFC 9112 §2.3).
  public enum Version: Hashable, Sendable { case http10, http11 }

  /// How the end of the body is found (RFC 9112 §6).
  public enum BodyFraming: Hashable, Sendable {
    case none
    /// That many bytes follow.
    case length(UInt64)
    case chunked
  }

  /// What is to be done with the target.
  public internal(set) var method: HTTPMethod
  /// Which HTTP the client speaks; a later 1.x counts as 1.1.
  public internal(set) var version: Version
  /// Whether and how a body follows; a length of 0 is `none`.
  public internal(set) var body: BodyFraming
  /// Whether the connection may carry another request after this one (RFC 9112 §9.3).
  public internal(set) var isKeepAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
  public internal(set) var expectsContinue: Bool
  /// The buffer the places below point into.
  public internal(set) var bytes: [UInt8]
  /// All of the head, its last empty line included, and behind it the host that a proxy named instead.
  public internal(set) var headSlice: Slice
  /// The request target as sent, without a scheme and authority if it came in absolute form (RFC 9112 §3.2). Of
  /// `http://host?query` it is `?query`, though the path is `/`.
  public internal(set) var targetSlice: Slice
  /// The target up to `?`, still percent-encoded.
  public internal(set) var pathSlice: Slice
  /// The target after `?`; absent without one.
  public internal(set) var querySlice: Slice
  /// The host and port the request is for: the Host field, the authority of an absolute target, or what a trusted
  /// proxy says.
  public internal(set) var hostSlice: Slice
  /// All field lines, for fields that are not `KnownField`s.
  public internal(set) var fieldsSlice: Slice
  @usableFromInline var known: InlineArray<24, Slice>
  /// A bit for each known field that came, and for each that came more than once. Asking these first spares a copy of
  /// `known`, which the compiler makes to index it.
  @usableFromInline var present: UInt32
  var repeated: UInt32

  /// Where the request came from, also through trusted proxies; the server fills it in.
  public var peer = PeerAddress.local
  /// Whether it came over TLS, or a trusted proxy says that it did.
  public var isSecure = false
  /// What the server made up for `X-Request-Id`, used unless the client sent a sane one.
  public var generatedID: UInt64 = 0

  /// No request yet, for the parser to fill.
  public init() {
    method = .get
    version = .http11
    body = .none
    isKeepAlive = true
    expectsContinue = false
    bytes = []
    headSlice = Slice()
    targetSlice = Slice()
    pathSlice = Slice()
    querySlice = Slice()
    hostSlice = Slice()
    fieldsSlice = Slice()
    known = InlineArray(repeating: Slice())
    present = 0
    repeated = 0
  }

  /// Forgets what was read before. `known` stays as it is: without their bit in `present` its places mean nothing.
  mutating func reset(_ bytes: [UInt8]) {
    self.bytes = bytes
    method = .get
    version = .http11
    body = .none
    isKeepAlive = true
    expectsContinue = false
    headSlice = Slice()
    targetSlice = Slice()
    pathSlice = Slice()
    querySlice = Slice()
    hostSlice = Slice()
    fieldsSlice = Slice()
    present = 0
    repeated = 0
    peer = .local
    isSecure = false
    generatedID = 0
  }

  /// Where the (first) value of a known field stands, without surrounding white space; absent when it was not sent.
  @inlinable
  public func slice(of field: KnownField) -> Slice {
    has(field) ? known[field.rawValue] : Slice()
  }

  /// Whether the field was sent. Inlinable, as other modules ask it several times for each request.
  @inlinable
  public func has(_ field: KnownField) -> Bool { present & (1 << UInt32(field.rawValue)) != 0 }

  /// The (first) value of a known field; nil when it was not sent. Bytes that are not UTF-8 become U+FFFD.
  public subscript(_ field: KnownField) -> String? {
    has(field) ? text(known[field.rawValue]) : nil
  }

  /// Whether the field came more than once.
  public func isRepeated(_ field: KnownField) -> Bool { repeated & (1 << UInt32(field.rawValue)) != 0 }

  /// The bytes of a place as text; bytes that are not UTF-8 become U+FFFD.
  public func text(_ slice: Slice) -> String { String(decoding: bytes[slice.range], as: UTF8.self) }

  /// The request target as sent, still percent-encoded.
  public var target: String { text(targetSlice) }
  /// The target up to `?`, still percent-encoded.
  public var path: String { text(pathSlice) }
  /// The target after `?`, still percent-encoded; nil without a `?`.
  public var query: String? { querySlice.isAbsent ? nil : text(querySlice) }
  /// The host and port the request is for; empty when an HTTP/1.0 request named none.
  public var host: String { text(hostSlice) }
}
