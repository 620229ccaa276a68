internal import Catalogue
internal import DepotModel
internal import HTTPWire

/// `POST /games/check`: many installed games in one request.
struct BatchCheck: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let request: HTTPRequest

  /// Bytes of a body; a thousand games with the longest names take half of it.
  static let bodyLimit = 1 << 20
  /// Games in one request.
  static let gameLimit = 1000

  init(_ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    self.request = request.detached()
    base = try BaseURL(for: request, depot.settings.publicURL)
    try JSONBody.check(request, limit: Self.bodyLimit)
  }

  private struct Question: Decodable {
    let channel: ChannelName?
    let hostVersion: H5Version?
    let deviceId: String?
    let installed: [Installed]

    struct Installed: Decodable {
      let gameId: GameID
      let h5Version: H5Version
      let h5Md5: MD5Digest?
    }
  }

  private struct Reply: Encodable {
    let revision: Int64
    let updates: [Update]
    let removed: [GameID]
    let upToDate: Int
  }

  private struct Update: Encodable {
    let game: Game
    let reason: Verdict.Reason

    enum CodingKeys: CodingKey { case reason }

    func encode(to encoder: any Encoder) throws {
      try game.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(reason, forKey: .reason)
    }
  }

  func response(to body: any RequestBody) async throws(Problem) -> HTTPResponse {
    let question = try await JSONBody.read(
      Question.self, from: body, limit: Self.bodyLimit, within: depot.bodyBudget)
    guard question.installed.count <= Self.gameLimit else {
      throw .badField(
        "installed", "installed may hold at most \(Self.gameLimit) games: ask in several requests.")
    }
    if let device = question.deviceId, device.isEmpty || device.count > 128 {
      throw .badField("deviceId", "deviceId must be 1 to 128 characters.")
    }
    // Read before the games, so that a change in between is told again and never missed.
    let revision = try depot.reading { catalogue throws(CatalogueError) in try catalogue.revision() }
    var updates: [Update] = []
    var removed: [GameID] = []
    var upToDate = 0
    for game in question.installed {
      let installed = Verdict.Installed(id: game.gameId, version: game.h5Version, md5: game.h5Md5)
      let verdict = try Verdict.of(installed, channel: question.channel ?? .stable, in: depot)
      if let verdict, let release = verdict.release, verdict.reason.isUpdate {
        updates.append(Update(game: Game(release, base), reason: verdict.reason))
      } else if let verdict, verdict.release == nil {
        removed.append(game.gameId)
      } else {
        // A game that is here but not on the channel has nothing to fetch either.
        upToDate += 1
      }
    }
    let reply = Reply(revision: revision, updates: updates, removed: removed, upToDate: upToDate)
    var fields: HTTPFields = ["Cache-Control": base.cacheControl]
    CrossOrigin.append(to: &fields)
    return try .json(.ok, reply, fields, for: request)
  }
}
