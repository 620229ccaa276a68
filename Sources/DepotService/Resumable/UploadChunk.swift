internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `PATCH /uploads/{id}`: more bytes; with the last of them the package is published.
struct UploadChunk: Sendable {
  private let upload: ResumableUpload
  private let shelf: UploadShelf
  private let id: UploadID
  private let offset: Int64

  /// Refuses whatever the head alone rules out; nothing of the body is read yet.
  init(_ id: UploadID, _ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.id = id
    shelf = handler.uploads
    upload = try ResumableUpload(request, handler)
    try Tus.checkVersion(request)
    try Tus.checkType(request)
    guard let offset = try Tus.number("Upload-Offset", request) else {
      throw Problem.badField("Upload-Offset", "Upload-Offset is missing.").closingConnection()
    }
    self.offset = offset
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let checksum = try ChunkChecksum(upload.request)
    _ = try upload.record(id)
    guard let claim = shelf.claim(id) else { throw Self.busy }
    defer { withExtendedLifetime(claim) {} }
    // As it is now that nobody else changes it.
    var record = try upload.record(id, isHeld: true)
    try upload.checkStanding(record)
    let here = try upload.storing { [record] () throws(SystemError) in try shelf.offset(of: record, id) }
    guard offset == here else {
      throw Problem(
        .uploadOffset, "The next byte here is \(here), not \(offset): ask with HEAD and go on from there.",
        ["offset": .number(here)]
      ).closingConnection()
    }
    if case .length(let count) = upload.request.body, count > UInt64(record.length - here) {
      throw Problem(
        .bodyTooLarge, "The upload has \(record.length) bytes, and more than that would come.",
        ["limit": .number(record.length)]
      ).closingConnection()
    }
    var size = here
    if record.outcome == nil {
      size = try await upload.receive(body, claim, &record, at: here, checksum: checksum)
    }
    var fields: HTTPFields = ["Upload-Offset": "\(size)", "Cache-Control": "no-store"]
    if let location = upload.location(of: record) {
      fields.append("Location", location)
    } else {
      fields.append("Upload-Expires", HTTPDate(seconds: record.expiresAt).description)
    }
    return HTTPResponse(.noContent, fields)
  }

  /// Somebody else adds to it, or it is being published.
  static let busy = Problem(
    .uploadLocked, "Another request holds this upload: try again when it is done.",
    fields: ["Retry-After": "1"]
  ).closingConnection()
}
