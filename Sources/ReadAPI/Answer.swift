internal import DepotModel
package import HTTPWire
internal import Platform
internal import ZipArchive

/// A 200 to a GET together with the 304 that may stand for it, both ready to send. A class: the cache
/// gives it to every request, and copying it would count references to each of its parts.
package final class Answer: Sendable {
  /// Strong (RFC 9110 §8.8.3): a digest of the body as it is sent, so that codings of it differ.
  package let etag: EntityTag?
  /// Without `hasBody` it is the answer to HEAD alone.
  package let ok: HTTPResponse
  package let notModified: HTTPResponse
  /// False when the body was too large to keep.
  package let hasBody: Bool

  /// `fields` go to the 200 alone. `varies`: other clients may get the same in another coding. `isShared`: pages of any
  /// origin may read it.
  package convenience init(
    _ body: [UInt8], type: String, cacheControl: String, varies: Bool = true, isShared: Bool = true,
    fields: HTTPFields = [:]
  ) {
    var common: HTTPFields = ["Cache-Control": cacheControl]
    if varies { common.append("Vary", AcceptEncoding.vary) }
    if isShared { CrossOrigin.append(to: &common) } else { common.append("Vary", "Authorization") }
    self.init(body, repeated: common, fields: ["Content-Type": type], fields)
  }

  /// A JSON body. Throws when `value` cannot be encoded, which would be a fault of ours.
  package convenience init(
    json value: some Encodable, cacheControl: String, varies: Bool = true, isShared: Bool = true,
    fields: HTTPFields = [:]
  ) throws(Problem) {
    self.init(
      try Self.encode(value), type: "application/json", cacheControl: cacheControl, varies: varies,
      isShared: isShared, fields: fields)
  }

  /// RFC 9110 §15.4.5: a 304 repeats ETag, Cache-Control and Vary.
  private init(_ body: [UInt8], repeated: HTTPFields, fields: HTTPFields...) {
    let digest = SHA256Digest(bytes: Hash.digest(of: body, .sha256))?.hex ?? ""
    let opaque = "\(digest.prefix(32))"
    var common: HTTPFields = ["ETag": "\"\(opaque)\""]
    for line in repeated.lines { common.append(line.name, line.value) }
    notModified = HTTPResponse(.notModified, common)
    for line in fields.flatMap(\.lines) { common.append(line.name, line.value) }
    ok = HTTPResponse(.ok, common, .bytes(body))
    etag = EntityTag(opaque)
    hasBody = true
  }

  private init(_ other: Answer, ok: HTTPResponse, hasBody: Bool) {
    etag = other.etag
    notModified = other.notModified
    self.ok = ok
    self.hasBody = hasBody
  }

  package static func encode(_ value: some Encodable) throws(Problem) -> [UInt8] {
    do { return try JSON.encode(value) } catch { throw .internal(error) }
  }

  /// The same content under `Content-Encoding: gzip`, a representation with an ETag of its own; nil when there is no body
  /// or zlib has no memory.
  package func compressed() -> Answer? {
    guard hasBody, case .bytes(let body) = ok.body, let small = Gzip.compress(body) else { return nil }
    var repeated = notModified.fields
    repeated["ETag"] = nil
    var fields = ok.fields
    for line in notModified.fields.lines { fields[line.name] = nil }
    // The server's own, of each body.
    fields["Content-Length"] = nil
    return Answer(small, repeated: repeated, fields: fields, ["Content-Encoding": "gzip"])
  }

  /// What can still answer HEAD and give a 304.
  package var withoutBody: Answer {
    Answer(self, ok: HTTPResponse(.ok, readyHead: ok.head, .bytes([])), hasBody: false)
  }

  /// Roughly the bytes it holds.
  package var weight: Int { ok.head.count + notModified.head.count + Int(ok.body.count) }

  /// What the request's preconditions make of it; nil when that takes a body which is not kept. No date can apply: what
  /// has no modification time is never older or newer than one.
  package func response(to request: HTTPRequest) -> HTTPResponse? {
    if request.has(.ifNoneMatch) || request.has(.ifMatch) {
      switch Preconditions.evaluate(request, etag: etag, lastModified: nil, isDateStrong: false) {
      case .proceed: break
      case .notModified: return notModified
      case .preconditionFailed:
        return Problem(.preconditionFailed, "If-Match does not name what is here now.").response(
          isShared: true)
      }
    }
    return hasBody || request.method == .head ? ok : nil
  }
}

extension HTTPResponse {
  /// A JSON answer that is given once: compressed when it is worth it and the client takes it.
  package static func json(
    _ status: HTTPStatus, _ value: some Encodable, _ fields: HTTPFields, for request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    var body = try Answer.encode(value)
    var all: HTTPFields = ["Content-Type": "application/json", "Vary": AcceptEncoding.vary]
    for line in fields.lines { all.append(line.name, line.value) }
    if body.count > AcceptEncoding.threshold, AcceptEncoding.prefersGzip(request),
      let small = Gzip.compress(body)
    {
      all.append("Content-Encoding", "gzip")
      body = small
    }
    return HTTPResponse(status, all, .bytes(body))
  }
}
