internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ZipArchive

extension HTTPResponse {
  /// A body made for this request: compressed when it is worth it and the client takes it, with a tag of the bytes as they
  /// are sent, and 304 or 412 where the request's conditions have it (RFC 9110 §13). `varies`: the fields besides
  /// `Accept-Encoding` that it depends on.
  static func made(
    _ body: [UInt8], varying varies: [String] = [], _ fields: HTTPFields, for request: HTTPRequest
  ) -> HTTPResponse {
    var fields = fields
    fields.append("Cache-Control", "no-cache")
    fields.append("Vary", (["Accept-Encoding"] + varies).joined(separator: ", "))
    fields.append("X-Content-Type-Options", "nosniff")
    var sent = body
    if body.count > AcceptEncoding.threshold, AcceptEncoding.prefersGzip(request),
      let small = Gzip.compress(body)
    {
      fields.append("Content-Encoding", "gzip")
      sent = small
    }
    let tag = SHA256Digest(bytes: Hash.digest(of: sent, .sha256)).flatMap { EntityTag($0.hex) }
    if let tag { fields.append("ETag", tag.description) }
    switch Preconditions.evaluate(request, etag: tag, lastModified: nil, isDateStrong: false) {
    case .notModified: return HTTPResponse(.notModified, fields)
    case .preconditionFailed: return HTTPResponse(.preconditionFailed, fields)
    case .proceed: return HTTPResponse(.ok, fields, .bytes(sent))
    }
  }
}
