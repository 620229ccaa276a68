/// One form of a resource, ready to be sent: whole, in parts or not at all, as a request's conditions and ranges have it
/// (RFC 9110 §13, §14).
public struct Representation: Sendable {
  /// All of it. Parts can be sent of a file alone.
  private let body: ResponseBody
  private let etag: EntityTag?
  private let lastModified: Int64?
  private let isDateStrong: Bool
  private let type: String
  private let coding: ContentCoding?
  private let fields: HTTPFields

  /// `body` is a file or bytes as they are sent: `coding` tells what they are coded in. `lastModified` is in seconds since
  /// 1970, and `isDateStrong` as `Preconditions` has it. `fields` go with every answer, 304 and errors too; ETag,
  /// Last-Modified, Accept-Ranges, Content-Type, Content-Encoding and Content-Range are added.
  public init(
    _ body: ResponseBody, type: String, coding: ContentCoding? = nil, etag: EntityTag?, lastModified: Int64?,
    isDateStrong: Bool = false, fields: HTTPFields
  ) {
    self.body = body
    self.type = type
    self.coding = coding
    self.etag = etag
    self.lastModified = lastModified
    self.isDateStrong = isDateStrong
    self.fields = fields
  }

  /// What the request's conditions alone make of it: 304 or 412, or nil when content is to be sent.
  public func answerWithoutContent(to request: HTTPRequest) -> HTTPResponse? {
    switch Preconditions.evaluate(
      request, etag: etag, lastModified: lastModified, isDateStrong: isDateStrong)
    {
    case .notModified: HTTPResponse(.notModified, commonFields)
    case .preconditionFailed: HTTPResponse(.preconditionFailed, commonFields)
    case .proceed: nil
    }
  }

  /// 200, 206, 304, 412 or 416. Range is for GET alone (§14.2), and for files.
  public func response(to request: HTTPRequest) -> HTTPResponse {
    var fields = commonFields
    switch Preconditions.evaluate(
      request, etag: etag, lastModified: lastModified, isDateStrong: isDateStrong)
    {
    case .notModified: return HTTPResponse(.notModified, fields)
    case .preconditionFailed: return HTTPResponse(.preconditionFailed, fields)
    case .proceed(let rangeAllowed):
      guard case .file(let file, let offset, let size) = body else { return whole(fields) }
      fields.append("Accept-Ranges", "bytes")
      guard rangeAllowed, request.has(.range) else { return whole(fields) }
      switch request.rangeSelection(size: size) {
      case .whole: return whole(fields)
      case .unsatisfiable:
        fields.append("Content-Range", MultipartByteranges.unsatisfiedContentRange(size: size))
        return HTTPResponse(.rangeNotSatisfiable, fields)
      case .ranges(let ranges):
        return partial(ranges, size: size, fields) { range in
          .file(file, offset: offset + range.lowerBound, count: range.upperBound - range.lowerBound)
        }
      }
    }
  }

  private var commonFields: HTTPFields {
    var fields = fields
    if let etag { fields.append("ETag", etag.description) }
    if let lastModified { fields.append("Last-Modified", HTTPDate(seconds: lastModified).description) }
    return fields
  }

  private func whole(_ fields: HTTPFields) -> HTTPResponse {
    var fields = fields
    fields.append("Content-Type", type)
    if let coding { fields.append("Content-Encoding", coding.name) }
    return HTTPResponse(.ok, fields, body)
  }

  private func partial(
    _ ranges: [Range<Int64>], size: Int64, _ fields: HTTPFields, _ part: (Range<Int64>) -> ResponseBody
  ) -> HTTPResponse {
    var fields = fields
    if let coding { fields.append("Content-Encoding", coding.name) }
    if ranges.count == 1, let range = ranges.first {
      fields.append("Content-Type", type)
      fields.append("Content-Range", MultipartByteranges.contentRange(range, size: size))
      return HTTPResponse(.partialContent, fields, part(range))
    }
    let parts = MultipartByteranges(
      ranges: ranges, size: size, contentType: type, boundary: MultipartByteranges.makeBoundary(), part: part)
    fields.append("Content-Type", parts.contentType)
    return HTTPResponse(.partialContent, fields, parts.body)
  }
}
