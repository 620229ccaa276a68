internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// A resumable upload as a request that was let in sees it: created, added to, asked about, published, ended.
struct ResumableUpload: Sendable {
  let handler: DepotHandler
  let grant: Grant
  let request: HTTPRequest
  let base: BaseURL
  private var shelf: UploadShelf { handler.uploads }
  private var depot: Depot { handler.depot }

  /// Bytes written between two looks at the disk's room.
  private static let stride: Int64 = 16 << 20

  /// Checks the token; nothing of the body is read yet.
  init(_ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.request = request.detached()
    grant = try handler.access.authorise(request, for: .publish)
    base = try BaseURL(for: request, handler.settings.publicURL)
  }

  /// What there is of an upload, to whoever created it and to admins. `isHeld`: this request holds it.
  func record(_ id: UploadID, isHeld: Bool = false) throws(Problem) -> UploadRecord {
    let found = try storing { () throws(SystemError) in try shelf.record(id) }
    guard var record = found else {
      throw Problem(
        .unknownUpload, "There is no upload \(id): it was ended, or never begun. Begin a new one."
      )
      .closingConnection()
    }
    guard record.token == grant.token.id || grant.token.scope == .admin else {
      throw Problem(.forbidden, "Another token created this upload.").closingConnection()
    }
    if record.outcome == nil, isHeld || shelf.work(on: id) == nil {
      if record.expiresAt <= depot.clock().seconds {
        record.outcome = UploadRecord.Outcome(kind: .expired)
      } else if try wasPublished(record, id) {
        record.outcome = UploadRecord.Outcome(kind: .published, isNew: true)
        try storing { [record] () throws(SystemError) in try shelf.save(record, of: id) }
      }
    }
    return record
  }

  /// Whether the server ended between publishing and keeping that it did.
  private func wasPublished(_ record: UploadRecord, _ id: UploadID) throws(Problem) -> Bool {
    guard let digest = record.sha256 else { return false }
    let part = try storing { () throws(SystemError) in try shelf.folder.status(of: shelf.partName(id)) }
    guard part == nil, let fields = try? UploadFields(record.fields) else { return false }
    return try depot.reading { catalogue throws(CatalogueError) in
      try catalogue.release(fields.gameID, version: fields.version)
    }?.sha256.hex == digest
  }

  /// Refuses what is over and not published.
  func checkStanding(_ record: UploadRecord) throws(Problem) {
    switch record.outcome?.kind {
    case nil, .published: return
    case .expired:
      throw Problem(.uploadExpired, "The upload was given up at its expiry: begin a new one.")
        .closingConnection()
    case .refused:
      throw (record.outcome?.problem?.problem ?? Problem(.packageRefused, "")).closingConnection()
    }
  }

  /// Takes in bytes from `offset` on and, with the last of them, publishes; the offset then. What came before a fault is
  /// kept, unless a checksum was to prove it.
  func receive(
    _ body: any RequestBody, _ claim: UploadShelf.Claim, _ record: inout UploadRecord, at offset: Int64,
    checksum: ChunkChecksum?
  ) async throws(Problem) -> Int64 {
    let id = claim.id
    let part = try storing { () throws(SystemError) in
      let part = try shelf.part(id)
      try part.setPermissions(0o600)
      try part.truncate(to: offset)
      return part
    }
    if checksum != nil {
      record.provenSize = offset
      try storing { [record] () throws(SystemError) in try shelf.save(record, of: id) }
    }
    var (size, failure) = await write(body, to: part, from: offset, of: record.length, checksum)
    if let checksum, failure != nil || !checksum.isRight() {
      size = offset
      failure =
        failure
        ?? Problem(.chunkMismatch, "The bytes are not those that Upload-Checksum names: send them again.")
    }
    record.provenSize = nil
    record.expiresAt = depot.clock().seconds + shelf.lifetime
    try storing { [size, record] () throws(SystemError) in
      // Of a piece that could not be written whole, nothing counts.
      try part.truncate(to: size)
      try shelf.synchronize(part)
      try shelf.save(record, of: id)
    }
    if let failure { throw failure }
    guard size == record.length else { return size }
    claim.beginPublishing()
    try publish(id, part, &record)
    return size
  }

  private func write(
    _ body: any RequestBody, to part: File, from offset: Int64, of length: Int64, _ checksum: ChunkChecksum?
  ) async -> (size: Int64, failure: Problem?) {
    var size = offset
    var sizeAtNextLook = offset
    do throws(Problem) {
      while let piece = try await Self.next(of: body) {
        guard size + Int64(piece.count) <= length else {
          throw Problem(
            .bodyTooLarge, "The upload has \(length) bytes, and more than that came.",
            ["limit": .number(length)])
        }
        if size >= sizeAtNextLook {
          try Upload.publishing { () throws(PublishError) in try depot.checkRoom(for: Int64(piece.count)) }
          sizeAtNextLook = size + Self.stride
        }
        try storing { [size] () throws(SystemError) in try shelf.write(piece, to: part, at: size) }
        checksum?.update(piece)
        size += Int64(piece.count)
      }
      return (size, nil)
    } catch { return (size, error.closingConnection()) }
  }

  private static func next(of body: any RequestBody) async throws(Problem) -> [UInt8]? {
    do throws(RequestBodyError) { return try await body.next() } catch { throw Problem(error) }
  }

  /// Publishes what is here whole. A verdict on the package is kept and ends the upload; where something of ours failed,
  /// the last byte can be sent again.
  private func publish(_ id: UploadID, _ part: File, _ record: inout UploadRecord) throws(Problem) {
    do throws(PublishError) {
      let fields: UploadFields
      do throws(FieldError) { fields = try UploadFields(record.fields) } catch { throw .field(error) }
      let ingest = try Ingest(adopting: shelf.partName(id), of: shelf.folder, into: depot)
      record.sha256 = try ingest.digests().sha256.hex
      do throws(SystemError) { try shelf.save(record, of: id) } catch { throw depot.publishError(error) }
      let publication = try ingest.publish(as: fields, actor: grant.author)
      record.outcome = UploadRecord.Outcome(
        kind: .published, isNew: publication.isNew,
        findings: publication.findings.prefix(UploadRecord.Outcome.keptFindings).map { FindingReport($0) })
      if publication.isNew { handler.notePublication(publication, request, by: grant.author) }
    } catch {
      let problem = Problem(error)
      guard error.isVerdict else { throw problem }
      record.outcome = UploadRecord.Outcome(kind: .refused, problem: StoredProblem(problem))
      close(id, record)
      throw problem
    }
    close(id, record)
  }

  /// Keeps the outcome. Should the disk refuse that, the version is published all the same: its digest tells.
  private func close(_ id: UploadID, _ record: UploadRecord) {
    do throws(SystemError) {
      try shelf.save(record, of: id)
      try shelf.removePart(id)
    } catch { handler.noteFailure(error, of: request) }
  }

  /// Where the version is.
  func location(of record: UploadRecord) -> String? {
    guard case .published = record.outcome?.kind, let id = record.fields["gameId"],
      let version = record.fields["h5Version"]
    else { return nil }
    return "\(base.path)/games/\(id)/versions/\(version)"
  }

  /// Does something on the disk.
  func storing<Value>(_ step: () throws(SystemError) -> Value) throws(Problem) -> Value {
    do throws(SystemError) { return try step() } catch { throw Problem(depot.publishError(error)) }
  }
}

extension PublishError {
  /// Whether it is about the package, which no other attempt changes.
  fileprivate var isVerdict: Bool {
    switch self {
    case .field, .checksum, .refused, .tooLarge, .versionExists, .versionBurnt, .idCaseConflict: true
    case .diskFloor, .stopping, .system, .catalogue: false
    }
  }
}
