internal import DepotModel
internal import ReadAPI

/// What is kept of a resumable upload beside its bytes, until it expires: a JSON file.
struct UploadRecord: Codable, Sendable {
  /// The token that created it, by its number: names are used again.
  let token: Int64
  /// Bytes of the whole package.
  let length: Int64
  /// `Upload-Metadata` as it came, which HEAD repeats.
  let metadata: String
  /// What it says that an upload can say.
  let fields: [String: String]
  /// Seconds since 1970, as are all its times.
  var expiresAt: Int64
  /// Bytes beyond this one have not been compared with their checksum yet: after a crash they do not count.
  var provenSize: Int64?
  /// The package's digest, from when its publication began.
  var sha256: String?
  /// What became of it; nil while it is not over.
  var outcome: Outcome?

  struct Outcome: Codable, Sendable {
    enum Kind: String, Codable { case published, refused, expired }

    /// A zip of 100,000 entries can have as many.
    static let keptFindings = 1000

    let kind: Kind
    /// Of a published one: false when these bytes were that version already.
    var isNew: Bool?
    /// Of a published one.
    var findings: [FindingReport]?
    /// Of a refused one.
    var problem: StoredProblem?
  }
}

/// A problem that is told again to whoever asks later.
struct StoredProblem: Codable, Sendable {
  private let slug: String
  private let detail: String
  private let members: [String: Problem.Member]

  init(_ problem: Problem) {
    slug = problem.slug.rawValue
    detail = problem.detail
    members = problem.members.mapValues { member in
      guard case .findings(let findings) = member else { return member }
      return .findings(Array(findings.prefix(UploadRecord.Outcome.keptFindings)))
    }
  }

  var problem: Problem { Problem(Problem.Slug(rawValue: slug) ?? .internal, detail, members) }
}

/// `GET /uploads/{id}`.
struct UploadReport: Encodable {
  let id: UploadID
  let record: UploadRecord
  let offset: Int64
  let state: String
  /// Where the version is once it is published.
  let location: String?

  private enum CodingKeys: CodingKey {
    case id, state, offset, length, gameId, h5Version, expiresAt, location, isNew, findings, problem
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.text, forKey: .id)
    try container.encode(state, forKey: .state)
    try container.encode(offset, forKey: .offset)
    try container.encode(record.length, forKey: .length)
    try container.encode(record.fields["gameId"], forKey: .gameId)
    try container.encode(record.fields["h5Version"], forKey: .h5Version)
    try container.encode("\(Timestamp(seconds: record.expiresAt))", forKey: .expiresAt)
    try container.encode(location, forKey: .location)
    try container.encode(record.outcome?.isNew, forKey: .isNew)
    try container.encode(record.outcome?.findings ?? [], forKey: .findings)
    try container.encode(record.outcome?.problem?.problem.document, forKey: .problem)
  }
}
