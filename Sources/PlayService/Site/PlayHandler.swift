internal import DepotModel
public import HTTPWire
public import Platform

/// A mirror's games for a browser: `/` lists them, `/play/<gameId>/…` is the current version of one, and so is
/// `http://<gameId>.localhost/…`.
///
/// Files are opened beneath a descriptor of the version's folder, so no path leads outside it. What a page begins with comes
/// from the current version, what it loads after that from the same one (`VersionPin`).
public struct PlayHandler: HTTPHandler {
  private let settings: PlaySettings
  private let logger: Logger
  private let games: InstalledGames
  private let versions: ServedVersions
  private let files: GameFiles
  private let hosts: HostPolicy
  private let gameHosts: GameHosts
  private let front: FrontDesk
  private let record: (any MirrorRecord)?
  private let bridge: GameBridge
  private let depot: DepotDesk?

  /// What may be done for one request off the loop: each finds something out that the next attempt needs.
  private static let rounds = 6

  /// Serves the mirror at `path`, which `record` tells more of, and what `catalogue` hands on of it. Throws when there is no `games` folder in it: a wrong path is told at once.
  public init(
    mirrorAt path: String, record: (any MirrorRecord)? = nil, catalogue: (any MirrorCatalogue)? = nil,
    settings: PlaySettings, logger: Logger
  ) throws(SystemError) {
    self.record = record
    self.settings = settings
    self.logger = logger
    games = InstalledGames(folder: try Directory(path: path).directory("games"))
    let texts = CompressedTexts(byteLimit: settings.compressedBytes)
    versions = ServedVersions(games) { texts.forget($0) }
    files = GameFiles(settings: settings, logger: logger, texts: texts)
    gameHosts = GameHosts(games)
    front = FrontDesk(games: games, record: record)
    depot = catalogue.map { DepotDesk($0, publicURL: settings.publicURL, logger: logger) }
    bridge = GameBridge(games: games, record: record, logger: logger)
    hosts = HostPolicy(
      allowing: settings.allowedHosts, hostName: ThisProcess.hostName, now: SystemClock.monotonicMilliseconds
    ) { NetworkInterfaces.addresses.map(\.address) }
  }

  /// Looks after those who wait for a change.
  public func tick() { depot?.tick() }

  /// Answers those who wait for a change, and lets nobody wait any more: for a server that stops.
  public func endWaits() { depot?.endWaits() }

  /// What is known is answered on the loop: opening a local file takes microseconds. The rest waits for a worker.
  public func respond(to request: HTTPRequest) -> HTTPReaction {
    switch attempt(request, isLast: false) {
    case .answer(let response): return .respond(response)
    case .later(let answer): return .later { _ in await answer() }
    case .reading(let answer): return .later { await answer($0) }
    case .work(let work):
      let request = request.detached()
      return .later { [self] in await answer(request, $0, after: work) }
    }
  }

  private func answer(
    _ request: HTTPRequest, _ body: any RequestBody, after work: @Sendable () async -> Void
  ) async -> HTTPResponse {
    var work = work
    for round in 1...Self.rounds {
      await work()
      switch attempt(request, isLast: round == Self.rounds) {
      case .answer(let response): return response
      case .later(let answer): return await answer()
      case .reading(let answer): return await answer(body)
      case .work(let next): work = next
      }
    }
    return .plain(.serviceUnavailable, "The file is changing; try again.", ["Retry-After": "1"])
  }

  private func attempt(_ request: HTTPRequest, isLast: Bool) -> Attempt {
    do throws(SystemError) {
      let now = SystemClock.monotonicMilliseconds
      switch hosts.meaning(of: request, now: now) {
      case .site: return try site(request, isLast)
      case .game(let label): return try gameHost(label, request, now, isLast)
      case .unknownAddress where !isLast: return .work { [hosts] in hosts.refresh(now: now) }
      case .unknownAddress, .stranger:
        // RFC 9110 §15.5.20.
        return .answer(
          .plain(
            .misdirectedRequest,
            "This server is not for \(request.host). If it should be, start it with --allow-host."))
      }
    } catch {
      return .answer(failure(error, request))
    }
  }

  private func failure(_ error: SystemError, _ request: HTTPRequest) -> HTTPResponse {
    logger.error(
      "cannot serve a file", requestID: request.id, ["path": request.path, "cause": error.description])
    guard !error.isExhausted else {
      return .plain(.serviceUnavailable, "Too much is going on here.", ["Retry-After": "1"])
    }
    return .plain(.internalServerError, "The file cannot be read; the log has the cause.")
  }

  // MARK: Places

  /// The answer to anything but a read, and the names of the path; one of both.
  private func names(_ request: HTTPRequest) -> (refusal: Attempt?, names: [String]) {
    guard request.method == .get || request.method == .head else {
      let status: HTTPStatus = request.method == .options ? .noContent : .methodNotAllowed
      return (.answer(HTTPResponse(status, ["Allow": "GET, HEAD, OPTIONS"])), [])
    }
    guard let names = PathSegments(request.path)?.segments else {
      return (.answer(.plain(.badRequest, "The path cannot be read.")), [])
    }
    return (nil, names)
  }

  private func site(_ request: HTTPRequest, _ isLast: Bool) throws(SystemError) -> Attempt {
    if let depot, DepotDesk.isAsked(PathSegments(request.path)?.segments.first) {
      return depot.attempt(request)
    }
    let (refusal, names) = names(request)
    if let refusal { return refusal }
    switch (names.first, names.count) {
    case ("", 1):
      let request = request.detached()
      return .later { [self] in
        do throws(SystemError) { return try front.response(to: request) } catch {
          return failure(error, request)
        }
      }
    case ("_depot", 2) where names[1] == GameBridge.name:
      return .answer(GameBridge.redirect(request) ?? Self.missing)
    case ("favicon.ico", 1): return .answer(.noIcon)
    case ("play", 2...):
      guard let id = GameID(names[1]) else { return .answer(Self.missing) }
      guard names.count > 2 else {
        let isInstalled = try games.currentVersion(of: id) != nil
        return .answer(isInstalled ? .redirectToFolder(request) : Self.missing)
      }
      let place = GamePlace(id: id, root: "/play/\(id)/", names: Array(names.dropFirst(2)))
      return try game(place, request, isLast)
    default: return .answer(Self.missing)
    }
  }

  private func gameHost(
    _ label: String, _ request: HTTPRequest, _ now: Int64, _ isLast: Bool
  ) throws(SystemError) -> Attempt {
    switch try gameHosts.meaning(of: label, now: now) {
    case .game(let id):
      let (refusal, names) = names(request)
      if let refusal { return refusal }
      return try game(GamePlace(id: id, root: "/", names: names), request, isLast)
    case .unread where !isLast:
      return .work { [gameHosts, logger] in
        do throws(SystemError) { try gameHosts.refresh(now: now) } catch {
          logger.error("cannot list the games", ["cause": error.description])
        }
      }
    case .unread, .nobody: return .answer(.plain(.notFound, "There is no game of that name."))
    }
  }

  private static var missing: HTTPResponse { .plain(.notFound, "There is no such file.") }

  // MARK: Games

  private func game(_ place: GamePlace, _ request: HTTPRequest, _ isLast: Bool) throws(SystemError) -> Attempt
  {
    let pin = VersionPin(request, place)
    guard let version = try version(of: place.id, pin) else { return .answer(Self.missing) }
    if GameBridge.isAsked(place) { return bridge.attempt(place, version, request) }
    let now = SystemClock.monotonicMilliseconds
    guard let contents = version.contents(now: now) else {
      // Without them files are found by their exact names and have tags of this disk.
      guard isLast else {
        return .work { [record] in
          await version.readContents(now: now) { Self.contents(of: version, by: record, known: $0) }
        }
      }
      let unknown = ServedVersion.Contents(index: nil, needsIsolation: false, isRecorded: false)
      return try answer(place, version, unknown, pin, request, isLast)
    }
    return try answer(place, version, contents, pin, request, isLast)
  }

  private func answer(
    _ place: GamePlace, _ version: ServedVersion, _ contents: ServedVersion.Contents, _ pin: VersionPin,
    _ request: HTTPRequest, _ isLast: Bool
  ) throws(SystemError) -> Attempt {
    var fields: HTTPFields = [
      "Cache-Control": isWorker(place, request) ? "no-store" : "no-cache",
      "X-Content-Type-Options": "nosniff",
    ]
    if settings.isolation[place.id] ?? contents.needsIsolation { Isolation.append(to: &fields) }
    if pin.isBeginning, pin.version != version.version {
      fields.append("Set-Cookie", VersionPin.setting(version.version, at: place))
    }
    return try files.attempt(place, version, contents, request, fields: fields, isLast: isLast)
  }

  private func version(of id: GameID, _ pin: VersionPin) throws(SystemError) -> ServedVersion? {
    guard let current = try games.currentVersion(of: id) else { return nil }
    if !pin.isBeginning, let pinned = pin.version, pinned != current,
      let version = try versions.version(id, pinned)
    {
      return version
    }
    return try versions.version(id, current)
  }

  /// A service worker's script that a cache kept would keep the whole game from ever changing.
  private func isWorker(_ place: GamePlace, _ request: HTTPRequest) -> Bool {
    let name = place.names.last?.lowercased() ?? ""
    return name == "sw.js" || name.hasPrefix("service-worker")
      || request.field(named: "sec-fetch-dest") == "serviceworker"
  }

  /// From the record; else from the folder, which is walked once.
  private static func contents(
    of version: ServedVersion, by record: (any MirrorRecord)?, known: ServedVersion.Contents?
  ) -> ServedVersion.Contents {
    if let recorded = record?.version(version.id, version.version) {
      let files = recorded.files.lazy.map {
        FileIndex.Entry(
          path: $0.path, size: $0.size, sha256: $0.sha256, modifiedAtNanoseconds: $0.modifiedAtNanoseconds)
      }
      return ServedVersion.Contents(
        index: FileIndex(files), needsIsolation: recorded.needsIsolation, isRecorded: true)
    }
    if let known { return known }
    let files = FolderWalk.files(in: version.folder, limit: FileIndex.limit)
    return ServedVersion.Contents(
      index: files.flatMap { FileIndex($0) }, needsIsolation: false, isRecorded: record == nil)
  }
}
