internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `POST /games`: a package in either form, from its head to the answer.
struct Upload: Sendable {
  private let handler: DepotHandler
  private let request: HTTPRequest
  private let base: BaseURL
  private let grant: Grant
  private let form: Form

  /// How the package and its fields come.
  private enum Form: Sendable {
    /// The body is the package; the fields were in the query.
    case zip(UploadFields, checksum: MD5Digest?)
    /// Fields and package are parts of the body, in any order.
    case multipart(MediaType, checksum: MD5Digest?)
  }

  /// Refuses whatever the head alone rules out, the token first of all; nothing of the body is read yet.
  init(_ request: HTTPRequest, _ handler: DepotHandler) throws(Problem) {
    self.handler = handler
    self.request = request.detached()
    do throws(Problem) {
      grant = try handler.access.authorise(request, for: .publish)
      base = try BaseURL(for: request, handler.settings.publicURL)
      form = try Self.form(of: request)
      try Self.checkLength(request, form, handler.depot)
      if case .zip(let fields, let checksum) = form {
        try grant.check(fields.gameID)
        try Self.publishing { () throws(PublishError) in
          try handler.depot.precheck(fields, checksum.map { [$0] } ?? [])
        }
      }
    } catch {
      throw error.closingConnection()
    }
  }

  private static func form(of request: HTTPRequest) throws(Problem) -> Form {
    let checksum = try checksum(of: request)
    if let type = request.contentType {
      if type.isType("multipart/form-data") { return .multipart(type, checksum: checksum) }
      if type.isType("application/zip") || type.isType("application/x-zip-compressed") {
        let values = try Parameters(request, UploadFields.names).values
        do throws(FieldError) {
          return .zip(try UploadFields(values), checksum: checksum)
        } catch { throw .badField(error.field, error.detail) }
      }
    } else if let type = request[.contentType], type.lowercased().hasPrefix("multipart/form-data") {
      throw Problem(
        .badMultipart, "The Content-Type has parameters that cannot be read: it needs one boundary.")
    }
    throw Problem(
      .unsupportedMediaType,
      "Send multipart/form-data with a file part named package, or the zip itself as application/zip.")
  }

  /// RFC 1864: the MD5 of the body in base64.
  private static func checksum(of request: HTTPRequest) throws(Problem) -> MD5Digest? {
    guard let text = request[.contentMD5] else { return nil }
    guard !request.isRepeated(.contentMD5), let digest = MD5Digest(base64: text) else {
      throw .badField("Content-MD5", "Content-MD5 must be the base64 of 16 bytes.")
    }
    return digest
  }

  private static func checkLength(_ request: HTTPRequest, _ form: Form, _ depot: Depot) throws(Problem) {
    let limit: Int64
    switch form {
    case .zip: limit = depot.settings.maxUpload
    case .multipart: limit = FormReader.limit(depot.settings)
    }
    var length: UInt64 = 0
    if case .length(let told) = request.body { length = told }
    try publishing { () throws(PublishError) in
      guard length <= UInt64(clamping: limit) else { throw .tooLarge(limit: depot.settings.maxUpload) }
      try depot.checkRoom(for: Int64(clamping: length))
    }
  }

  /// Reads the body and publishes. A refusal before the body's end closes the connection.
  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let counts = handler.depot.uploads
    counts.begin()
    let publication: Publication
    do throws(Problem) { publication = try await published(body) } catch {
      counts.end(.refused)
      throw error
    }
    counts.end(publication.isNew ? .published : .repeated)
    return try answer(publication)
  }

  private func published(_ body: any RequestBody) async throws(Problem) -> Publication {
    let upload: Received
    do throws(Problem) {
      upload = try await receive(body)
    } catch {
      throw error.closingConnection()
    }
    return try Self.publishing { () throws(PublishError) in
      try upload.ingest.publish(as: upload.fields, checksums: upload.checksums, actor: grant.author)
    }
  }

  private struct Received {
    let fields: UploadFields
    let ingest: Ingest
    let checksums: [MD5Digest]
  }

  private func receive(_ body: any RequestBody) async throws(Problem) -> Received {
    let depot = handler.depot
    switch form {
    case .zip(let fields, let checksum):
      let ingest = try Self.publishing { () throws(PublishError) in try Ingest(into: depot) }
      while let piece = try await Self.next(of: body) {
        try Self.publishing { () throws(PublishError) in try ingest.append(piece) }
      }
      return Received(fields: fields, ingest: ingest, checksums: checksum.map { [$0] } ?? [])
    case .multipart(let type, let checksum):
      var reader = try FormReader(type, depot: depot, hashesBody: checksum != nil, grant)
      while let piece = try await Self.next(of: body) { try reader.take(piece) }
      let form = try reader.finish()
      // RFC 1864 means the body as sent; some clients mean the file in it. Either proves that nothing was damaged.
      let isProven = checksum == nil || form.bodyMD5 == checksum
      return Received(
        fields: form.fields, ingest: form.ingest, checksums: isProven ? [] : checksum.map { [$0] } ?? [])
    }
  }

  private func answer(_ publication: Publication) throws(Problem) -> HTTPResponse {
    let release = publication.release
    if publication.isNew { handler.notePublication(publication, request, by: grant.author) }
    let body = PublishedBody(
      game: Game(release, base), findings: publication.findings.map { FindingReport($0) })
    return try .json(
      publication.isNew ? .created : .ok, body,
      [
        "Cache-Control": "no-store",
        "Location": "\(base.path)/games/\(release.gameID)/versions/\(release.version)",
      ], for: request)
  }

  private static func next(of body: any RequestBody) async throws(Problem) -> [UInt8]? {
    do throws(RequestBodyError) { return try await body.next() } catch { throw Problem(error) }
  }

  static func publishing<Value>(_ step: () throws(PublishError) -> Value) throws(Problem) -> Value {
    do throws(PublishError) { return try step() } catch { throw Problem(error) }
  }
}

/// The game object of what was published, and what the zip check had to say.
private struct PublishedBody: Encodable {
  let game: Game
  let findings: [FindingReport]

  enum CodingKeys: CodingKey { case findings }

  func encode(to encoder: any Encoder) throws {
    try game.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(findings, forKey: .findings)
  }
}
