internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `HEAD`, `GET` and `DELETE /uploads/{id}`: how far it is, what became of it, and its end.
struct UploadState: Sendable {
  private let upload: ResumableUpload
  private let shelf: UploadShelf
  private let id: UploadID

  /// How long HEAD waits for a request that was cut off to let go of the upload.
  private static let patience: Int64 = 3000

  /// Checks the token, and of a client of tus its version.
  init(_ id: UploadID, _ request: HTTPRequest, isTus: Bool, _ handler: DepotHandler) throws(Problem) {
    self.id = id
    shelf = handler.uploads
    upload = try ResumableUpload(request, handler)
    if isTus { try Tus.checkVersion(request) }
  }

  /// Where to go on. While a request still holds the upload nobody can tell: that of a client that was cut off ends soon.
  func offset() async throws(Problem) -> HTTPResponse {
    _ = try upload.record(id)
    let deadline = SystemClock.monotonicMilliseconds + Self.patience
    while shelf.work(on: id) != nil {
      guard SystemClock.monotonicMilliseconds < deadline else { throw UploadChunk.busy }
      try? await Task.sleep(for: .milliseconds(10))  // Nobody cancels it.
    }
    let record = try upload.record(id)
    try upload.checkStanding(record)
    let offset = try upload.storing { () throws(SystemError) in try shelf.offset(of: record, id) }
    var fields: HTTPFields = [
      "Cache-Control": "no-store", "Upload-Offset": "\(offset)", "Upload-Length": "\(record.length)",
    ]
    if !record.metadata.isEmpty { fields.append("Upload-Metadata", record.metadata) }
    if record.outcome == nil {
      fields.append("Upload-Expires", HTTPDate(seconds: record.expiresAt).description)
    }
    return HTTPResponse(.ok, fields)
  }

  /// All that is known.
  func report() throws(Problem) -> Answer {
    let record = try upload.record(id)
    let work = shelf.work(on: id)
    let offset = try upload.storing { () throws(SystemError) in try shelf.offset(of: record, id) }
    let state =
      record.outcome?.kind.rawValue ?? (work.map { $0 == .publishing } ?? false ? "publishing" : "receiving")
    return try Answer(
      json: UploadReport(
        id: id, record: record, offset: offset, state: state, location: upload.location(of: record)),
      cacheControl: "private, no-cache", isShared: false)
  }

  /// Ends it: of an upload that is published only the memory goes (tus: termination).
  func end() throws(Problem) -> HTTPResponse {
    _ = try upload.record(id)
    guard let claim = shelf.claim(id) else { throw UploadChunk.busy }
    defer { withExtendedLifetime(claim) {} }
    try upload.storing { () throws(SystemError) in try shelf.remove(id) }
    return HTTPResponse(.noContent, ["Cache-Control": "no-store"])
  }
}
