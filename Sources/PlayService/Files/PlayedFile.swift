internal import DepotModel
internal import HTTPWire
internal import Platform

/// One file of an installed version, open to be sent.
final class PlayedFile: BodyFile {
  private let file: File
  private let status: FileStatus
  private let etag: EntityTag?

  /// A version's files are written once and never changed, so version, inode and size name the bytes for good.
  init(_ file: File, status: FileStatus, version: H5Version) {
    self.file = file
    self.status = status
    let tag = "\(version)-\(String(status.inode, radix: 36))-\(String(status.size, radix: 36))"
    etag = EntityTag(tag)
  }

  var number: Int32 { file.number }

  /// 200, 206, 304, 412 or 416, as the request's conditions and ranges have it (RFC 9110 §13, §14).
  func response(to request: HTTPRequest, type: String) -> HTTPResponse {
    let size = status.size
    var fields: HTTPFields = [
      "Cache-Control": "no-cache", "Accept-Ranges": "bytes",
      "Last-Modified": HTTPDate(seconds: status.modifiedAt).description, "X-Content-Type-Options": "nosniff",
    ]
    if let etag { fields.append("ETag", etag.description) }
    // Two versions can be installed within a second, and both have this URL.
    switch Preconditions.evaluate(
      request, etag: etag, lastModified: status.modifiedAt, isDateStrong: false)
    {
    case .notModified: return HTTPResponse(.notModified, fields)
    case .preconditionFailed: return HTTPResponse(.preconditionFailed, fields)
    case .proceed(let rangeAllowed):
      switch rangeAllowed ? request.rangeSelection(size: size) : .whole {
      case .whole:
        fields.append("Content-Type", type)
        return HTTPResponse(.ok, fields, .file(self, offset: 0, count: size))
      case .unsatisfiable:
        fields.append("Content-Range", MultipartByteranges.unsatisfiedContentRange(size: size))
        return HTTPResponse(.rangeNotSatisfiable, fields)
      case .ranges(let ranges):
        return partial(ranges, type, fields)
      }
    }
  }

  private func partial(_ ranges: [Range<Int64>], _ type: String, _ fields: HTTPFields) -> HTTPResponse {
    var fields = fields
    guard ranges.count > 1 else {
      fields.append("Content-Type", type)
      fields.append("Content-Range", MultipartByteranges.contentRange(ranges[0], size: status.size))
      return HTTPResponse(.partialContent, fields, part(ranges[0]))
    }
    let parts = MultipartByteranges(
      ranges: ranges, size: status.size, contentType: type, boundary: MultipartByteranges.makeBoundary(),
      part: part)
    fields.append("Content-Type", parts.contentType)
    return HTTPResponse(.partialContent, fields, parts.body)
  }

  private func part(_ range: Range<Int64>) -> ResponseBody {
    .file(self, offset: range.lowerBound, count: range.upperBound - range.lowerBound)
  }
}
