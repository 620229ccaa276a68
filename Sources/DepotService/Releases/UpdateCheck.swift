internal import DepotModel
internal import HTTPWire

/// `GET /games/{id}/check`: is there something else than what is installed.
struct UpdateCheck: Sendable {
  private let depot: Depot
  private let base: BaseURL
  private let channel: ChannelName
  private let installed: Verdict.Installed
  /// The next client is likely to ask the same: a device's own name makes that unlikely.
  let isWorthKeeping: Bool

  init(_ id: GameID, _ request: HTTPRequest, _ depot: Depot) throws(Problem) {
    self.depot = depot
    base = try BaseURL(for: request, depot.settings.publicURL)
    let parameters = try Parameters(request, ["h5Version", "h5Md5", "hostVersion", "channel", "deviceId"])
    channel = try parameters.channel()
    installed = Verdict.Installed(
      id: id, version: try parameters.version("h5Version"), md5: try parameters.md5("h5Md5"))
    // Accepted so that clients may send them from the beginning; every version is for every host and device so far.
    _ = try parameters.version("hostVersion")
    isWorthKeeping = try parameters.text("deviceId", upTo: 128) == nil
  }

  private struct Body: Encodable {
    let verdict: Verdict
    let game: Game?

    enum CodingKeys: CodingKey { case updateAvailable, reason, game }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(verdict.reason.isUpdate, forKey: .updateAvailable)
      try container.encode(verdict.reason, forKey: .reason)
      try container.encode(game, forKey: .game)
    }
  }

  func answer() throws(Problem) -> Answer {
    guard let verdict = try Verdict.of(installed, channel: channel, in: depot) else {
      throw .unknownChannel(installed.id, channel)
    }
    let body = Body(verdict: verdict, game: verdict.release.map { Game($0, base) })
    return try Answer(json: body, cacheControl: base.cacheControl)
  }
}
