internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `POST /uploads`: a resumable upload begins, perhaps with its first bytes (tus: creation, creation-with-upload).
struct UploadCreation: Sendable {
  private let upload: ResumableUpload
  private let handler: DepotHandler
  private let length: Int64
  private let metadata: String
  private let fields: [String: String]
  private let hasBody: Bool

  /// Refuses whatever the head alone rules out, as an upload in one piece does; nothing of the body is read yet.
  init(_ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    upload = try ResumableUpload(request, handler)
    try Tus.checkVersion(request)
    do throws(Problem) {
      guard let length = try Tus.number("Upload-Length", request), length > 0 else {
        throw .badField(
          "Upload-Length", "Upload-Length is missing or 0: a package's size must be known first.")
      }
      self.length = length
      metadata = request.values(of: "Upload-Metadata").joined(separator: ",")
      fields = try UploadMetadata.fields(metadata)
      let read: UploadFields
      do throws(FieldError) { read = try UploadFields(fields) } catch {
        throw .badField(error.field, error.detail)
      }
      try upload.grant.check(read.gameID)
      hasBody = request.body != .none
      if hasBody { try Tus.checkType(request) }
      try Upload.publishing { () throws(PublishError) in
        guard length <= handler.settings.maxUpload else { throw .tooLarge(limit: handler.settings.maxUpload) }
        try handler.depot.checkRoom(for: length)
        try handler.depot.precheck(read, [])
      }
    } catch {
      throw error.closingConnection()
    }
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let checksum = hasBody ? try ChunkChecksum(upload.request) : nil
    let shelf = handler.uploads
    let count = try upload.storing { () throws(SystemError) in try shelf.count }
    guard count < handler.settings.heldUploads else {
      throw Problem(
        .tooManyRequests,
        "\(count) uploads are under way here: end some, or try again when some have expired.",
        fields: ["Retry-After": "60"]
      ).closingConnection()
    }
    guard let id = UploadID.random(), let claim = shelf.claim(id) else {
      throw .tryAgain("No name could be made for the upload.")
    }
    var record = UploadRecord(
      token: upload.grant.token.id, length: length, metadata: metadata, fields: fields,
      expiresAt: handler.depot.clock().seconds + shelf.lifetime)
    try upload.storing { [record] () throws(SystemError) in
      _ = try shelf.part(id)
      try shelf.save(record, of: id)
    }
    var answer: HTTPFields = ["Location": "\(upload.base.path)/uploads/\(id)", "Cache-Control": "no-store"]
    if hasBody {
      let offset = try await upload.receive(body, claim, &record, at: 0, checksum: checksum)
      answer.append("Upload-Offset", "\(offset)")
    }
    if record.outcome == nil {
      answer.append("Upload-Expires", HTTPDate(seconds: record.expiresAt).description)
    }
    withExtendedLifetime(claim) {}
    return HTTPResponse(.created, answer)
  }
}
