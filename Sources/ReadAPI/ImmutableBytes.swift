package import DepotModel
package import HTTPWire
internal import Platform

/// What `delta.json` names besides the package: `GET …/index` and `GET …/blocks`. The same for ever.
package enum IndexPart: String, Sendable {
  /// The bytes of the package that are no payload.
  case index
  /// Checksums of the blocks of its large payloads.
  case blocks
}

/// Bytes that stay the same for ever under their URL, whole and in parts.
package struct ImmutableBytes: Sendable {
  private static let type = "application/octet-stream"

  private let bytes: [UInt8]
  private let sha256: SHA256Digest

  package init(_ bytes: [UInt8], sha256: SHA256Digest) {
    self.bytes = bytes
    self.sha256 = sha256
  }

  /// Nil for no bytes.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, let sha256 = SHA256Digest(bytes: Hash.digest(of: bytes, .sha256)) else {
      return nil
    }
    self.init(bytes, sha256: sha256)
  }

  /// What the request's conditions and ranges make of them.
  package func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let size = Int64(bytes.count)
    let etag = EntityTag(sha256.hex)
    switch Preconditions.evaluate(request, etag: etag, lastModified: nil, isDateStrong: false) {
    case .notModified: return HTTPResponse(.notModified, common)
    case .preconditionFailed: throw Problem(.preconditionFailed, "If-Match does not name what is here.")
    case .proceed(let rangeAllowed):
      var fields = common
      fields.append("Accept-Ranges", "bytes")
      // RFC 9530 §3: of the whole representation, whatever part of it is sent.
      fields.append("Repr-Digest", "sha-256=:\(sha256.base64):")
      guard rangeAllowed else { return whole(fields) }
      switch request.rangeSelection(size: size) {
      case .whole: return whole(fields)
      case .unsatisfiable:
        throw Problem(
          .rangeNotSatisfiable, "There are \(size) bytes; none of the ranges lies within it.",
          fields: ["Content-Range": MultipartByteranges.unsatisfiedContentRange(size: size)])
      case .ranges(let ranges): return partial(ranges, fields)
      }
    }
  }

  /// What a 304 repeats (RFC 9110 §15.4.5).
  private var common: HTTPFields {
    var fields: HTTPFields = [
      "ETag": "\"\(sha256.hex)\"",
      "Cache-Control": "public, max-age=31536000, immutable, no-transform",
    ]
    CrossOrigin.append(to: &fields)
    return fields
  }

  private func whole(_ fields: HTTPFields) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Type", Self.type)
    return HTTPResponse(.ok, fields, .bytes(bytes))
  }

  private func partial(_ ranges: [Range<Int64>], _ fields: HTTPFields) -> HTTPResponse {
    let size = Int64(bytes.count)
    func part(_ range: Range<Int64>) -> ResponseBody {
      .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
    var fields = fields
    if ranges.count == 1, let range = ranges.first {
      fields.append("Content-Type", Self.type)
      fields.append("Content-Range", MultipartByteranges.contentRange(range, size: size))
      return HTTPResponse(.partialContent, fields, part(range))
    }
    let parts = MultipartByteranges(
      ranges: ranges, size: size, contentType: Self.type, boundary: MultipartByteranges.makeBoundary(),
      part: part)
    fields.append("Content-Type", parts.contentType)
    return HTTPResponse(.partialContent, fields, parts.body)
  }
}
