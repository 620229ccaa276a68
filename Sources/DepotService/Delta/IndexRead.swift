internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `GET …/index`: the bytes of a package that are no payload, as `delta.json` names them. The same for ever.
struct IndexRead: Sendable {
  private static let type = "application/octet-stream"

  private let depot: Depot
  private let id: GameID
  private let version: H5Version

  init(_ id: GameID, _ version: H5Version, _ depot: Depot) {
    self.depot = depot
    self.id = id
    self.version = version
  }

  /// Throws `unknown-game`, `unknown-version`, or `not-found` when the version has no index.
  func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
    _ = try depot.release(id, version)
    let found = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.packageIndex(id, version)
    }
    guard let index = found else {
      throw Problem(.notFound, "\(id) \(version) has no index; its delta.json says so, too.")
    }
    let size = Int64(index.bytes.count)
    let etag = EntityTag(index.sha256.hex)
    switch Preconditions.evaluate(request, etag: etag, lastModified: nil, isDateStrong: false) {
    case .notModified: return HTTPResponse(.notModified, common(index))
    case .preconditionFailed: throw Problem(.preconditionFailed, "If-Match does not name this index.")
    case .proceed(let rangeAllowed):
      var fields = common(index)
      fields.append("Accept-Ranges", "bytes")
      // RFC 9530 §3: of the whole representation, whatever part of it is sent.
      fields.append("Repr-Digest", "sha-256=:\(index.sha256.base64):")
      guard rangeAllowed else { return whole(index, fields) }
      switch request.rangeSelection(size: size) {
      case .whole: return whole(index, fields)
      case .unsatisfiable:
        throw Problem(
          .rangeNotSatisfiable, "The index has \(size) bytes; none of the ranges lies within it.",
          fields: ["Content-Range": MultipartByteranges.unsatisfiedContentRange(size: size)])
      case .ranges(let ranges): return partial(ranges, of: index, fields)
      }
    }
  }

  /// What a 304 repeats (RFC 9110 §15.4.5).
  private func common(_ index: StoredIndex) -> HTTPFields {
    var fields: HTTPFields = [
      "ETag": "\"\(index.sha256.hex)\"",
      "Cache-Control": "public, max-age=31536000, immutable, no-transform",
    ]
    CrossOrigin.append(to: &fields)
    return fields
  }

  private func whole(_ index: StoredIndex, _ fields: HTTPFields) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Type", Self.type)
    return HTTPResponse(.ok, fields, .bytes(index.bytes))
  }

  private func partial(
    _ ranges: [Range<Int64>], of index: StoredIndex, _ fields: HTTPFields
  ) -> HTTPResponse {
    let size = Int64(index.bytes.count)
    func part(_ range: Range<Int64>) -> ResponseBody {
      .bytes(Array(index.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
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
