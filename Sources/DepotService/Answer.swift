internal import DepotModel
internal import HTTPWire
internal import Platform

/// A 200 to a GET together with the 304 that may stand for it, both ready to send.
struct Answer: Sendable {
  /// Strong (RFC 9110 §8.8.3): a digest of the body as it is sent, so that codings of it differ.
  let etag: EntityTag?
  let ok: HTTPResponse
  let notModified: HTTPResponse

  /// `fields` go to the 200 alone.
  init(_ body: [UInt8], type: String, cacheControl: String, varies: String? = nil, fields: HTTPFields = [:]) {
    let digest = SHA256Digest(bytes: Hash.digest(of: body, .sha256))?.hex ?? ""
    let opaque = "\(digest.prefix(32))"
    // RFC 9110 §15.4.5: a 304 repeats ETag, Cache-Control and Vary.
    var common: HTTPFields = ["ETag": "\"\(opaque)\"", "Cache-Control": cacheControl]
    if let varies { common.append("Vary", varies) }
    CrossOrigin.append(to: &common)
    etag = EntityTag(opaque)
    notModified = HTTPResponse(.notModified, common)
    var all: HTTPFields = ["Content-Type": type]
    for line in common.lines + fields.lines { all.append(line.name, line.value) }
    ok = HTTPResponse(.ok, all, .bytes(body))
  }

  /// A JSON body. Throws when `value` cannot be encoded, which would be a fault of ours.
  init(
    json value: some Encodable, cacheControl: String, varies: String? = nil, fields: HTTPFields = [:]
  ) throws(Problem) {
    self.init(
      try Self.encode(value), type: "application/json", cacheControl: cacheControl, varies: varies,
      fields: fields)
  }

  static func encode(_ value: some Encodable) throws(Problem) -> [UInt8] {
    do { return try JSON.encode(value) } catch { throw .internal(error) }
  }

  /// Roughly the bytes it holds.
  var weight: Int { ok.head.count + notModified.head.count + Int(ok.body.count) }

  /// What the request's preconditions make of it. No date can apply: what has no modification time is never older or
  /// newer than one.
  func response(to request: HTTPRequest) -> HTTPResponse {
    guard request.has(.ifNoneMatch) || request.has(.ifMatch) else { return ok }
    switch Preconditions.evaluate(request, etag: etag, lastModified: nil) {
    case .proceed: return ok
    case .notModified: return notModified
    case .preconditionFailed:
      return Problem(.preconditionFailed, "If-Match does not name what is here now.").response(isShared: true)
    }
  }
}

extension HTTPRequest {
  /// Whether the bytes at a place are these.
  func equals(_ slice: Slice, _ expected: [UInt8]) -> Bool {
    Int(slice.count) == expected.count && bytes.span.holds(expected.span, at: Int(slice.start))
  }
}
