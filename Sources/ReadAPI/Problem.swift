package import DepotModel
package import HTTPWire
package import ZipArchive

/// A refusal, on its way to becoming a problem body (RFC 9457): the only place that makes one.
package struct Problem: Error, Sendable {
  package let slug: Slug
  /// What was wrong with this request, and where it helps what to do next, for a person.
  package let detail: String
  package private(set) var members: [String: Member] = [:]
  package private(set) var fields: HTTPFields = [:]
  /// The rest of a request body is not worth reading.
  package private(set) var closesConnection = false
  /// What went wrong here, for the log alone.
  package private(set) var cause: (any Error)?

  package init(_ slug: Slug, _ detail: String, _ members: [String: Member] = [:], fields: HTTPFields = [:]) {
    self.slug = slug
    self.detail = detail
    self.members = members
    self.fields = fields
  }

  /// Something a member beside `type`, `title`, `status` and `detail` holds.
  package enum Member: Sendable, Codable {
    case text(String)
    case number(Int64)
    case findings([FindingReport])

    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {  // Another kind of member.
        self = .number(number)
      } else if let text = try? container.decode(String.self) {  // Another kind of member.
        self = .text(text)
      } else {
        self = .findings(try container.decode([FindingReport].self))
      }
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      case .findings(let findings): try container.encode(findings)
      }
    }
  }

  /// The same refusal, given before the request's body was read: the connection ends with it.
  package func closingConnection() -> Problem {
    var problem = self
    problem.closesConnection = true
    return problem
  }

  /// The answer that says it. `isShared`: a page of any origin may read it.
  package func response(isShared: Bool) -> HTTPResponse {
    var lines: HTTPFields = ["Content-Type": "application/problem+json", "Cache-Control": "no-store"]
    if isShared { CrossOrigin.append(to: &lines) }
    for line in fields.lines { lines.append(line.name, line.value) }
    var response = HTTPResponse(slug.status, lines, .bytes(body))
    response.closesConnection = closesConnection
    return response
  }

  /// The problem body's members.
  package var document: [String: Member] {
    var all = members
    all["type"] = .text("urn:game-depot:problem:\(slug.rawValue)")
    all["title"] = .text(slug.title)
    all["status"] = .number(Int64(slug.status.code))
    all["detail"] = .text(detail)
    return all
  }

  private var body: [UInt8] {
    // Encoding strings and integers cannot fail; a body that says less is still the right status.
    (try? JSON.encode(document)) ?? Array(#"{"status":\#(slug.status.code)}"#.utf8)
  }
}

extension Problem {
  /// A field of the query, the form or the body that cannot be what it says.
  package static func badField(_ name: String, _ detail: String) -> Problem {
    Problem(.badField, detail, ["field": .text(name)])
  }

  package static func unknownGame(_ id: some CustomStringConvertible) -> Problem {
    Problem(.unknownGame, "There is no game \(id) here; GET /games lists those there are.")
  }

  package static func unknownVersion(_ id: GameID, _ version: some CustomStringConvertible) -> Problem {
    Problem(
      .unknownVersion, "\(id) has no version \(version); GET /games/\(id)/versions lists those there are.")
  }

  package static func unknownChannel(_ id: GameID, _ channel: some CustomStringConvertible) -> Problem {
    Problem(.unknownChannel, "\(id) has no channel \(channel); GET /games/\(id) lists those there are.")
  }

  /// The version has no index, or no sums of blocks.
  package static func noIndexPart(_ part: IndexPart, _ id: GameID, _ version: H5Version) -> Problem {
    Problem(.notFound, "\(id) \(version) has no \(part.rawValue); its delta.json says so, too.")
  }

  /// What would be done a few seconds later.
  package static func tryAgain(_ detail: String) -> Problem {
    Problem(.unavailable, detail, fields: ["Retry-After": "5"])
  }

  /// Another program has held the catalogue's lock for as long as is waited for it.
  package static func busy(_ cause: any Error) -> Problem {
    tryAgain("Another program is writing to the catalogue: nothing was changed, try again.").caused(by: cause)
  }

  /// A fault of ours: what happened goes to the log, not to the client.
  package static func `internal`(_ cause: any Error) -> Problem {
    Problem(.internal, "Something went wrong here; the log has it under this request's id.").caused(by: cause)
  }

  /// The same refusal with something for the log.
  package func caused(by cause: any Error) -> Problem {
    var problem = self
    problem.cause = cause
    return problem
  }

  /// What the transport turned down before it was a request.
  package init(_ refusal: HTTPRefusal) {
    self.init(
      Slug(refusal.status), refusal.detail,
      fields: refusal.retryAfter.map { ["Retry-After": String($0)] } ?? [:])
  }
}

/// A finding of the zip check in the contract's form.
package struct FindingReport: Sendable, Codable {
  package let rule: String
  package let severity: String
  package let path: String?
  package let detail: String

  package init(rule: String, severity: String, path: String?, detail: String) {
    self.rule = rule
    self.severity = severity
    self.path = path
    self.detail = detail
  }

  package init(_ finding: Finding) {
    self.init(
      rule: finding.rule.rawValue, severity: finding.severity.rawValue, path: finding.path,
      detail: finding.detail)
  }

  private enum CodingKeys: CodingKey { case rule, severity, path, detail }

  /// Written by hand because a finding about the whole zip has `null` for its path, not a missing member.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(rule, forKey: .rule)
    try container.encode(severity, forKey: .severity)
    try container.encode(path, forKey: .path)
    try container.encode(detail, forKey: .detail)
  }
}
