package import DepotModel
package import HTTPWire

/// `POST /games/check` as it was asked: many installed games in one request.
package struct BatchQuestion: Sendable {
  /// Bytes of a body; a thousand games with the longest names take half of it.
  package static let bodyLimit = 1 << 20
  /// Games in one request.
  package static let gameLimit = 1000

  package let base: BaseURL
  package let channel: ChannelName
  package let installed: [InstalledGame]
  private let request: HTTPRequest

  /// What the head alone tells; nothing of the body is read yet.
  package struct Head: Sendable {
    private let request: HTTPRequest
    private let base: BaseURL

    /// Throws `unsupported-media-type`, `body-too-large` and `bad-host`.
    package init(_ request: HTTPRequest, _ publicURL: PublicURL?) throws(Problem) {
      self.request = request.detached()
      base = try BaseURL(for: request, publicURL)
      try JSONBody.check(request, limit: BatchQuestion.bodyLimit)
    }

    /// Reads the body; throws what is wrong with it.
    package func question(
      _ body: any RequestBody, within budget: BodyBudget
    ) async throws(Problem) -> BatchQuestion {
      let asked = try await JSONBody.read(
        Body.self, from: body, limit: BatchQuestion.bodyLimit, within: budget)
      guard asked.installed.count <= BatchQuestion.gameLimit else {
        throw .badField(
          "installed", "installed may hold at most \(BatchQuestion.gameLimit) games: ask in several requests."
        )
      }
      if let device = asked.deviceId, device.isEmpty || device.count > 128 {
        throw .badField("deviceId", "deviceId must be 1 to 128 characters.")
      }
      return BatchQuestion(
        base: base, channel: asked.channel ?? .stable,
        installed: asked.installed.map {
          InstalledGame(id: $0.gameId, version: $0.h5Version, md5: $0.h5Md5)
        },
        request: request)
    }
  }

  private struct Body: Decodable {
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
    let reason: CheckReason

    enum CodingKeys: CodingKey { case reason }

    func encode(to encoder: any Encoder) throws {
      try game.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(reason, forKey: .reason)
    }
  }

  /// The answer. `verdict` judges one game and gives what the channel holds of it, nil for a game that is not here; it is nil
  /// for a game that is here but not in the channel, of which there is nothing to fetch either.
  package func response(
    revision: Int64, _ verdict: (InstalledGame) throws(Problem) -> (reason: CheckReason, game: Game?)?
  ) throws(Problem) -> HTTPResponse {
    var updates: [Update] = []
    var removed: [GameID] = []
    var upToDate = 0
    for game in installed {
      let verdict = try verdict(game)
      if let verdict, let current = verdict.game, verdict.reason.isUpdate {
        updates.append(Update(game: current, reason: verdict.reason))
      } else if let verdict, verdict.game == nil {
        removed.append(game.id)
      } else {
        upToDate += 1
      }
    }
    let reply = Reply(revision: revision, updates: updates, removed: removed, upToDate: upToDate)
    var fields: HTTPFields = ["Cache-Control": base.cacheControl]
    CrossOrigin.append(to: &fields)
    return try .json(.ok, reply, fields, for: request)
  }
}
