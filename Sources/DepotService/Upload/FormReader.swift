internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// An upload as `multipart/form-data`, taken in piece by piece: small fields are kept, the package goes to the disk.
struct FormReader {
  private let depot: Depot
  private let grant: Grant
  private var parser: MultipartParser
  private var total: Int64 = 0
  private var bodyHash: BodyHash?
  private var values: [String: String] = [:]
  private var fieldBytes = 0
  private var part = Part.ignored
  private var ingest: Ingest?

  private enum Part {
    case ignored
    case field(String, [UInt8])
    case package(Ingest)
  }

  /// A running MD5 that a struct can hold.
  private final class BodyHash {
    private var hash = Hash(.md5)

    func update(_ bytes: [UInt8]) { hash.update(bytes) }

    func finish() -> MD5Digest? {
      var last = Hash(.md5)
      swap(&hash, &last)
      return MD5Digest(bytes: last.finish())
    }
  }

  /// What a form came to.
  struct Form {
    let fields: UploadFields
    let ingest: Ingest
    /// Of the whole body, if it was asked for.
    let bodyMD5: MD5Digest?
  }

  /// Bytes of all fields that are no file: they are kept in memory while the package comes.
  static let fieldLimit = 64 << 10

  /// Bytes of a whole body: the largest package and generous room for fields and delimiters.
  static func limit(_ settings: DepotSettings) -> Int64 {
    let sum = settings.maxUpload.addingReportingOverflow(1 << 20)
    return sum.overflow ? .max : sum.partialValue
  }

  init(_ type: MediaType, depot: Depot, hashesBody: Bool, _ grant: Grant) throws(Problem) {
    self.depot = depot
    self.grant = grant
    bodyHash = hashesBody ? BodyHash() : nil
    do throws(MultipartError) { parser = try MultipartParser(type, limits: .standard) } catch {
      throw Problem(error)
    }
  }

  /// Takes in the next bytes of the body.
  mutating func take(_ piece: [UInt8]) throws(Problem) {
    total += Int64(piece.count)
    guard total <= Self.limit(depot.settings) else {
      throw Problem(PublishError.tooLarge(limit: depot.settings.maxUpload))
    }
    bodyHash?.update(piece)
    let events: [MultipartParser.Event]
    do throws(MultipartError) { events = try parser.parse(piece) } catch { throw Problem(error) }
    for event in events { try take(event) }
  }

  /// To be called at the end of the body.
  consuming func finish() throws(Problem) -> Form {
    do throws(MultipartError) { try parser.finish() } catch { throw Problem(error) }
    let fields = try self.fields()
    guard let ingest else {
      throw .badField("package", "package is missing: the zip is the file part of that name.")
    }
    return Form(fields: fields, ingest: ingest, bodyMD5: bodyHash?.finish())
  }

  private mutating func take(_ event: MultipartParser.Event) throws(Problem) {
    switch event {
    case .part(let name, _, _): part = try begin(name)
    case .data(let bytes):
      switch part {
      case .ignored: break
      case .field(let name, let value):
        fieldBytes += bytes.count
        guard fieldBytes <= Self.fieldLimit else {
          throw .badField(name, "The fields are larger than \(Self.fieldLimit) bytes together.")
        }
        part = .ignored
        part = .field(name, value + bytes)
      case .package(let ingest):
        try Upload.publishing { () throws(PublishError) in try ingest.append(bytes) }
      }
    case .endOfPart:
      if case .field(let name, let bytes) = part {
        guard let value = String(validating: bytes, as: UTF8.self) else {
          throw .badField(name, "\(name) is not UTF-8.")
        }
        values[name] = value
      }
      part = .ignored
    case .end: break
    }
  }

  private mutating func begin(_ name: String) throws(Problem) -> Part {
    guard name == "package" else {
      guard UploadFields.names.contains(name) else { return .ignored }
      guard values[name] == nil else { throw .badField(name, "\(name) came more than once: send it once.") }
      return .field(name, [])
    }
    guard ingest == nil else { throw Problem(.badMultipart, "There are two parts named package: send one.") }
    // What came before the package may already rule it out.
    if values["gameId"] != nil, values["h5Version"] != nil {
      let fields = try fields()
      try Upload.publishing { () throws(PublishError) in try depot.precheck(fields, []) }
    }
    let ingest = try Upload.publishing { () throws(PublishError) in try Ingest(into: depot) }
    self.ingest = ingest
    return .package(ingest)
  }

  private func fields() throws(Problem) -> UploadFields {
    let fields: UploadFields
    do throws(FieldError) { fields = try UploadFields(values) } catch {
      throw .badField(error.field, error.detail)
    }
    try grant.check(fields.gameID)
    return fields
  }
}

extension Problem {
  /// A form that is none.
  init(_ error: MultipartError) {
    switch error {
    case .badBoundary: self.init(.badMultipart, "The Content-Type has no boundary that can be used.")
    case .malformed(let detail): self.init(.badMultipart, detail)
    case .truncated: self.init(.badMultipart, "The form ends before its closing delimiter.")
    case .headTooLarge(let limit):
      self.init(.badMultipart, "The head of a part is larger than \(limit) bytes.")
    case .tooManyParts(let limit): self.init(.badMultipart, "There are more than \(limit) parts.")
    case .fieldTooLarge("package", _):
      self = .badField("package", "The part named package has no file name: send it as a file.")
    case .fieldTooLarge(let name, let limit):
      self = .badField(name, "\(name) is larger than \(limit) bytes.")
    }
  }
}
