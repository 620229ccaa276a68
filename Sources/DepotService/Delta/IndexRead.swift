internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform

/// `GET …/index` and `GET …/blocks`: what `delta.json` names. The same for ever.
struct IndexRead: Sendable {
  /// Which of the two.
  enum Part: String, Sendable {
    /// The bytes of the package that are no payload.
    case index
    /// Checksums of the blocks of its large payloads.
    case blocks
  }

  private static let type = "application/octet-stream"

  private let depot: Depot
  private let id: GameID
  private let version: H5Version
  private let part: Part

  init(_ part: Part, _ id: GameID, _ version: H5Version, _ depot: Depot) {
    self.depot = depot
    self.id = id
    self.version = version
    self.part = part
  }

  /// Throws `unknown-game`, `unknown-version`, or `not-found` when the version has none.
  func response(to request: HTTPRequest) throws(Problem) -> HTTPResponse {
    _ = try depot.release(id, version)
    let found = try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.packageIndex(id, version)
    }
    guard let content = found.flatMap(content) else {
      throw Problem(.notFound, "\(id) \(version) has no \(part.rawValue); its delta.json says so, too.")
    }
    let size = Int64(content.bytes.count)
    let etag = EntityTag(content.sha256.hex)
    switch Preconditions.evaluate(request, etag: etag, lastModified: nil, isDateStrong: false) {
    case .notModified: return HTTPResponse(.notModified, common(content))
    case .preconditionFailed: throw Problem(.preconditionFailed, "If-Match does not name what is here.")
    case .proceed(let rangeAllowed):
      var fields = common(content)
      fields.append("Accept-Ranges", "bytes")
      // RFC 9530 §3: of the whole representation, whatever part of it is sent.
      fields.append("Repr-Digest", "sha-256=:\(content.sha256.base64):")
      guard rangeAllowed else { return whole(content, fields) }
      switch request.rangeSelection(size: size) {
      case .whole: return whole(content, fields)
      case .unsatisfiable:
        throw Problem(
          .rangeNotSatisfiable, "There are \(size) bytes; none of the ranges lies within it.",
          fields: ["Content-Range": MultipartByteranges.unsatisfiedContentRange(size: size)])
      case .ranges(let ranges): return partial(ranges, of: content, fields)
      }
    }
  }

  private struct Content {
    let bytes: [UInt8]
    let sha256: SHA256Digest
  }

  private func content(_ index: StoredIndex) -> Content? {
    switch part {
    case .index: Content(bytes: index.bytes, sha256: index.sha256)
    case .blocks:
      index.blockSums.isEmpty
        ? nil
        : SHA256Digest(bytes: Hash.digest(of: index.blockSums, .sha256)).map {
          Content(bytes: index.blockSums, sha256: $0)
        }
    }
  }

  /// What a 304 repeats (RFC 9110 §15.4.5).
  private func common(_ content: Content) -> HTTPFields {
    var fields: HTTPFields = [
      "ETag": "\"\(content.sha256.hex)\"",
      "Cache-Control": "public, max-age=31536000, immutable, no-transform",
    ]
    CrossOrigin.append(to: &fields)
    return fields
  }

  private func whole(_ content: Content, _ fields: HTTPFields) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Type", Self.type)
    return HTTPResponse(.ok, fields, .bytes(content.bytes))
  }

  private func partial(
    _ ranges: [Range<Int64>], of content: Content, _ fields: HTTPFields
  ) -> HTTPResponse {
    let size = Int64(content.bytes.count)
    func part(_ range: Range<Int64>) -> ResponseBody {
      .bytes(Array(content.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
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
