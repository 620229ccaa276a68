internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// The read half of a depot's API over what a mirror has, so that mirrors can be made of a mirror.
struct DepotDesk: Sendable {
  let offers: Offers
  let publicURL: PublicURL?
  let packages: PackageStudies
  let kept: KeptAnswers
  private let waiters = ChangeWaiters()
  private let logger: Logger
  private let budget: BodyBudget

  /// Bytes of request bodies that are kept whole while they come, all together.
  private static let heldBodies = 32 << 20
  /// Answers kept ready, and the bytes they may take.
  private static let keptAnswers = 4096
  private static let keptBytes = 16 << 20
  /// Packages kept open, each a descriptor.
  private static let openPackages = 64

  init(_ catalogue: any MirrorCatalogue, publicURL: PublicURL?, logger: Logger) {
    offers = Offers(catalogue)
    self.publicURL = publicURL
    self.logger = logger
    packages = PackageStudies()
    budget = BodyBudget(limit: Self.heldBodies)
    kept = KeptAnswers(
      count: Self.keptAnswers, bytes: Self.keptBytes, openPackages: Self.openPackages,
      dependsOnHost: publicURL == nil)
  }

  /// About once a second: answers those who wait for a change, and lets go of packages that are gone.
  func tick() {
    guard waiters.count > 0 || kept.token != nil else { return }
    waiters.note(token: refreshed(), now: SystemClock.monotonicMilliseconds)
  }

  /// Answers those who wait, now and from now on.
  func endWaits() { waiters.close() }

  /// Forgets what is kept ready if anything changed, and gives the token of what is kept from now on.
  @discardableResult
  private func refreshed() -> Int64? {
    let token = offers.changeToken
    kept.refresh(token: token)
    return token
  }

  /// Whether a path with this first name is the API's.
  static func isAsked(_ name: String?) -> Bool { name == "games" || name == "healthz" || name == "readyz" }

  /// What becomes of a request. What is kept ready is answered now; the record is read on a worker.
  func attempt(_ request: HTTPRequest) -> Attempt {
    if let ready = ready(for: request) { return .answer(ready) }
    var isShared = true
    do throws(Problem) {
      let route = try route(request)
      isShared = route.isShared(request.method)
      try route.check(request.method, of: .mirror)
      if request.method == .options { return .answer(route.options(for: request, of: .mirror)) }
      if case .batchCheck = route {
        let head = try BatchQuestion.Head(request, publicURL)
        return later(request) { (_, body) throws(Problem) in try await batch(head, body) }
      }
      return later(request) { (kept, _) throws(Problem) in try await response(to: kept, route) }
    } catch {
      return .answer(refusal(error, request, isShared: isShared))
    }
  }

  private func ready(for request: HTTPRequest) -> HTTPResponse? {
    guard request.method == .get || request.method == .head else { return nil }
    refreshed()
    switch kept.find(request) {
    case .answer(let response), .package(let response): return response
    case .uncompressed, .nothing: return nil
    }
  }

  private func route(_ request: HTTPRequest) throws(Problem) -> Route {
    guard let path = request.pathSegments else {
      throw Problem(.badRequest, "The path cannot be read: an escape is broken, or it holds a dot segment.")
    }
    return try Route(path.segments)
  }

  private func later(
    _ request: HTTPRequest,
    _ work: @escaping @Sendable (HTTPRequest, any RequestBody) async throws(Problem) -> HTTPResponse
  ) -> Attempt {
    let kept = request.detached()
    return .reading { body in
      do throws(Problem) { return try await work(kept, body) } catch {
        return refusal(error, kept, isShared: true)
      }
    }
  }

  private func refusal(_ problem: Problem, _ request: HTTPRequest, isShared: Bool) -> HTTPResponse {
    if let cause = problem.cause {
      logger.error(
        "a request failed", requestID: request.id,
        ["target": request.target, "cause": String(describing: cause)])
    }
    return problem.response(isShared: isShared)
  }

  private func response(to request: HTTPRequest, _ route: Route) async throws(Problem) -> HTTPResponse {
    // Taken before what it is kept of is read.
    let token = kept.token
    let answer: Answer
    switch route {
    case .games:
      let question = try ListingQuestion(request, publicURL)
      guard question.wait > 0 else {
        answer = try listing(question).answer
        break
      }
      let deadline = SystemClock.monotonicMilliseconds + Int64(question.wait) * 1000
      let found = try await waiters.firstChange(until: deadline) { () throws(Problem) in
        offers.changeToken ?? 0
      } read: { () throws(Problem) in
        try listing(question)
      }
      return kept.complete(ReadyAnswer(found.answer), for: request, token: found.token)
    case .game(let id): answer = try detail(id, request)
    case .history(let id): answer = try history(id, request)
    case .version(let id, let version): answer = try listed(id, version, request)
    case .check(let id): answer = try check(id, request)
    case .manifest(let id): answer = try await manifest(PackageTarget(id, nil, request), request)
    case .versionManifest(let id, let version):
      answer = try await manifest(PackageTarget(id, version, request), request)
    case .delta(let id, let version): answer = try await delta(PackageTarget(id, version, request), request)
    case .package(let id): return try package(PackageTarget(id, nil, request), request)
    case .versionPackage(let id, let version):
      return try package(PackageTarget(id, version, request), request)
    case .index(let id, let version):
      return try await part(.index, PackageTarget(id, version, request), request)
    case .blocks(let id, let version):
      return try await part(.blocks, PackageTarget(id, version, request), request)
    case .health: return kept.complete(ReadyAnswer(try Health.fine()), for: request, token: nil)
    case .readiness:
      _ = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in try catalogue.state() }
      return kept.complete(ReadyAnswer(try Health.fine()), for: request, token: nil)
    case .patch, .channel, .audit, .console, .uploads, .upload, .openAPI, .metrics, .batchCheck:
      throw Self.nothing
    }
    return kept.complete(ReadyAnswer(answer), for: request, token: token)
  }

  private static let nothing = Problem(.notFound, "A mirror has nothing at this path.")

  private func batch(
    _ head: BatchQuestion.Head, _ body: any RequestBody
  ) async throws(Problem) -> HTTPResponse {
    let question = try await head.question(body, within: budget)
    let found = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in
      try catalogue.versions(of: question.installed.map(\.id))
    }
    return try question.response(revision: found.state.revision) { (installed) throws(Problem) in
      try Self.verdict(
        of: installed, found.games[installed.id], in: question.channel, found.state, question.base)
    }
  }

  /// Nil when the game is here but not in that channel.
  static func verdict(
    of installed: InstalledGame, _ game: StandingGame?, in channel: ChannelName, _ state: CatalogueState,
    _ base: BaseURL
  ) throws(Problem) -> (reason: CheckReason, game: Game?)? {
    guard let versions = game.flatMap({ GameVersions($0) }) else {
      return (game?.isRemoved == true ? .gameRemoved : .unknownGame, nil)
    }
    guard channel == state.channel else { return nil }
    let current = versions.current.told(state, base)
    let reason = try CheckReason.of(installed, current: (current.h5Version, current.h5Md5)) { version in
      versions.version(version).map { $0.game.publishedAt > current.publishedAt } ?? false
    }
    return (reason, current)
  }
}
