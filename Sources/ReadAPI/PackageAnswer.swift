package import DepotModel
package import HTTPWire

/// A package as one URL gives it, with the heads of its answers ready and its file open.
package final class PackageAnswer: Sendable {
  /// What the heads tell of a package.
  package struct Facts: Sendable {
    package let id: GameID
    package let version: H5Version
    package let md5: MD5Digest
    package let sha256: SHA256Digest

    package init(id: GameID, version: H5Version, md5: MD5Digest, sha256: SHA256Digest) {
      self.id = id
      self.version = version
      self.md5 = md5
      self.sha256 = sha256
    }
  }

  /// What its answers count as.
  let kind: RouteKind
  private let file: any BodyFile
  private let size: Int64
  private let etag: EntityTag?
  private let lastModified: Int64
  private let whole: HTTPResponse
  private let notModified: HTTPResponse
  /// Status line and fields of a 206, those that tell the part left out.
  private let partialHead: [UInt8]
  /// The same up to the numbers of a single range, and what stands between them and the length.
  private let singleRangeHead: [UInt8]
  private let singleRangeSize: [UInt8]

  /// `file` holds the package that `game` tells of, `size` bytes; `lastModified` is since when the URL gives it, and
  /// `isImmutable` that it does for ever.
  package init(
    _ game: Facts, _ file: any BodyFile, size: Int64, lastModified: Timestamp, isImmutable: Bool
  ) {
    kind = isImmutable ? .versionPackage : .package
    self.file = file
    self.size = size
    self.lastModified = lastModified.seconds
    etag = EntityTag(game.sha256.hex)
    // RFC 9110 §15.4.5: what a 304 repeats. The version and MD5 tell a client what it has without the body.
    var common: HTTPFields = [
      "ETag": "\"\(game.sha256.hex)\"",
      "Cache-Control": isImmutable ? "public, max-age=31536000, immutable, no-transform" : "no-cache",
      "X-H5-Md5": game.md5.hex,
      "X-H5-Version": game.version.text,
    ]
    CrossOrigin.append(to: &common)
    notModified = HTTPResponse(.notModified, common)
    common.append("Last-Modified", HTTPDate(seconds: lastModified.seconds).description)
    common.append("Accept-Ranges", "bytes")
    // RFC 9530 §3: of the whole representation, whatever part of it is sent.
    common.append("Repr-Digest", "sha-256=:\(game.sha256.base64):, md5=:\(game.md5.base64):")
    common.append("Content-Disposition", "attachment; filename=\"\(game.id)-\(game.version).zip\"")
    partialHead = HTTPResponse(.partialContent, common, length: .none).head
    singleRangeHead = partialHead + Array("Content-Type: application/zip\r\nContent-Range: bytes ".utf8)
    singleRangeSize = Array("/\(size)\r\nContent-Length: ".utf8)
    // RFC 1864: of the message body, so never on a 206.
    common.append("Content-MD5", game.md5.base64)
    common.append("Content-Type", "application/zip")
    whole = HTTPResponse(.ok, common, .file(file, offset: 0, count: size))
  }

  /// What the request's conditions and ranges make of it.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    let isConditional =
      request.has(.ifNoneMatch) || request.has(.ifMatch) || request.has(.ifModifiedSince)
      || request.has(.ifUnmodifiedSince)
    if !isConditional, !request.has(.range) { return whole }
    // The bytes of a version never change, and a channel moves at least a second after its last move.
    switch Preconditions.evaluate(request, etag: etag, lastModified: lastModified, isDateStrong: true) {
    case .notModified: return notModified
    case .preconditionFailed:
      return Problem(
        .preconditionFailed, "If-Match or If-Unmodified-Since does not hold: the package here is another."
      )
      .response(isShared: true)
    case .proceed(rangeAllowed: false): return whole
    case .proceed(rangeAllowed: true):
      if let range = request.singleRange(size: size) { return partial(range) }
      switch request.rangeSelection(size: size) {
      case .whole: return whole
      case .unsatisfiable:
        return Problem(
          .rangeNotSatisfiable, "The package has \(size) bytes; none of the ranges lies within it.",
          fields: ["Content-Range": MultipartByteranges.unsatisfiedContentRange(size: size)]
        ).response(isShared: true)
      case .ranges(let ranges): return partial(ranges)
      }
    }
  }

  /// One range, as every client that resumes a download asks for: no `String` is made for it.
  private func partial(_ range: Range<Int64>) -> HTTPResponse {
    let count = Int64(range.count)
    var head: [UInt8] = []
    head.reserveCapacity(singleRangeHead.count + singleRangeSize.count + 64)
    head += singleRangeHead
    DecimalNumber.append(range.lowerBound, to: &head)
    head.append(UInt8(ascii: "-"))
    DecimalNumber.append(range.upperBound - 1, to: &head)
    head += singleRangeSize
    DecimalNumber.append(count, to: &head)
    head.append(0x0d)
    head.append(0x0a)
    return HTTPResponse(.partialContent, readyHead: head, .file(file, offset: range.lowerBound, count: count))
  }

  private func partial(_ ranges: [Range<Int64>]) -> HTTPResponse {
    if ranges.count == 1, let range = ranges.first { return partial(range) }
    let parts = MultipartByteranges(
      ranges: ranges, size: size, contentType: "application/zip", boundary: MultipartByteranges.makeBoundary()
    ) { .file(file, offset: $0.lowerBound, count: Int64($0.count)) }
    let head =
      partialHead
      + Array("Content-Type: \(parts.contentType)\r\nContent-Length: \(parts.body.count)\r\n".utf8)
    return HTTPResponse(.partialContent, readyHead: head, parts.body)
  }
}
