internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ZipArchive

extension HTTPResponse {
  /// A body made for this request: compressed when it is worth it and the client takes it, with a tag of the bytes as they
  /// are sent. `varies`: the fields besides `Accept-Encoding` that it depends on.
  static func made(
    _ body: [UInt8], type: String, varying varies: [String], _ fields: HTTPFields, for request: HTTPRequest
  ) -> HTTPResponse {
    var fields = fields
    fields.append("Cache-Control", "no-cache")
    fields.append("Vary", ([AcceptEncoding.vary] + varies).joined(separator: ", "))
    fields.append("X-Content-Type-Options", "nosniff")
    let isSmaller = body.count > AcceptEncoding.threshold && AcceptEncoding.prefersGzip(request)
    let small = isSmaller ? Gzip.compress(body) : nil
    let sent = small ?? body
    return Representation(
      .bytes(sent), type: type, coding: small == nil ? nil : .gzip,
      etag: SHA256Digest(bytes: Hash.digest(of: sent, .sha256)).flatMap { EntityTag($0.hex) },
      lastModified: nil,
      fields: fields
    ).response(to: request)
  }
}
