internal import Catalogue
internal import DepotModel
public import HTTPWire
public import Platform
internal import ReadAPI
internal import Synchronization

/// The game API over one depot: what every route answers, whatever transport brings the request.
public final class DepotHandler: HTTPHandler, Sendable {
  let depot: Depot
  let settings: DepotSettings
  let access: Access
  private let logger: Logger
  private let openAPI: ReadyAnswer
  let kept: KeptAnswers
  private let program: ProgramFacts
  /// How the server that calls this fares; nothing is known before there is one.
  private let transport = Mutex<@Sendable () -> TransportMetrics>({ TransportMetrics() })
  let waiters = ChangeWaiters()
  let uploads: UploadShelf
  private let upkeep = Upkeep(now: SystemClock.monotonicMilliseconds)

  /// `openAPI` is the text of `/openapi.yaml`; `program` is told by `/metrics`.
  public init(
    depot: Depot, logger: Logger, openAPI: [UInt8],
    program: ProgramFacts = ProgramFacts(version: "", startedAt: SystemClock.unixSeconds)
  ) {
    self.program = program
    self.depot = depot
    self.logger = logger
    settings = depot.settings
    access = Access(depot: depot)
    // RFC 9512 §2.1.
    var ready = ReadyAnswer(Answer(openAPI, type: "application/yaml", cacheControl: "no-cache"))
    ready.compress()
    self.openAPI = ready
    // Each open package is a descriptor, so there are no more of them than may be open.
    kept = KeptAnswers(
      count: settings.cachedAnswers, bytes: settings.cachedBytes, openPackages: settings.openPackages,
      dependsOnHost: settings.publicURL == nil)
    uploads = UploadShelf(
      folder: depot.layout.uploads, lifetime: settings.uploadExpiry, volume: depot.volume)
    prepareBatch()
  }

  /// Forgets the answers kept ready if the catalogue has changed, here or in another process.
  public func prepareBatch() {
    do throws(CatalogueError) {
      kept.refresh(token: try depot.catalogue.changeToken())
    } catch {
      // Without a token nothing is kept; the read that follows tells the client.
      kept.refresh(token: nil)
    }
  }

  /// Sees, about once a second, whether those who wait for a change are to be answered.
  public func tick() {
    let now = SystemClock.monotonicMilliseconds
    // A loop must not wait for the disk.
    if upkeep.begin(now: now) { Task.detached { [self] in keepUp() } }
    guard waiters.count > 0 else { return }
    waiters.note(token: try? depot.catalogue.changeToken(), now: now)
  }

  /// Does what is due about once a minute, and once more when a server stops: closes packages that were removed, and writes
  /// when tokens were last used. May block on the disk.
  public func keepUp() {
    prepareBatch()
    depot.blobs.forgetRemoved()
    do throws(CatalogueError) { try depot.tokenUses.write(to: depot.catalogue) } catch {
      logger.warning("cannot note when tokens were used", ["cause": "\(error)"])
    }
    sweepUploads(isStarting: false)
  }

  /// Gives up uploads that have expired. `isStarting`: before any request is answered; then also what a crash left half
  /// made goes.
  public func sweepUploads(isStarting: Bool) {
    do throws(SystemError) {
      let count = try uploads.sweep(now: depot.clock().seconds, isStarting: isStarting)
      if count > 0 { logger.notice("gave up uploads that had expired", ["uploads": "\(count)"]) }
    } catch {
      logger.warning("cannot give up uploads that have expired", ["cause": "\(error)"])
    }
  }

  /// Tells the log of something that went wrong and that the client need not hear of.
  func noteFailure(_ cause: any Error, of request: HTTPRequest) {
    logger.error(
      "a request succeeded only in part", requestID: request.id,
      ["target": request.target, "cause": String(describing: cause)])
  }

  /// Lets `/metrics` tell how the server fares.
  public func observe(_ transport: @escaping @Sendable () -> TransportMetrics) {
    self.transport.withLock { $0 = transport }
  }

  /// Answers those who wait for a change, and lets nobody wait any more: for a server that stops.
  public func endWaits() { waiters.close() }

  /// Changes with each state of the catalogue that answers were kept of.
  public var edition: Int { kept.edition }

  /// Answers hot reads from memory, cold single reads from SQLite, and leaves the rest to a worker.
  public func respond(to request: HTTPRequest) -> HTTPReaction {
    switch settings.requiresReadToken ? respondToTokenHolders(request) : respondToEverybody(request) {
    case .repeatable(let response): return .repeatable(response)
    case .respond(let response): return .respond(response.counted(as: RouteKind(request)))
    case .later(let work):
      let kind = RouteKind(request)
      return .later { body in await work(body).counted(as: kind) }
    }
  }

  func respondToEverybody(_ request: HTTPRequest) -> HTTPReaction {
    switch request.method {
    case .get, .head:
      switch kept.find(request) {
      case .answer(let response): return .repeatable(response)
      case .package(let response): return .respond(response)
      case .uncompressed(let ready): return answer(request, from: ready, token: kept.token)
      case .nothing: break
      }
    case .post, .put, .patch, .delete, .options, .other: break
    }
    var isShared = true
    do throws(Problem) {
      if request.method == .options, request.target == "*" { return .respond(Self.serverOptions) }
      guard let path = request.pathSegments else {
        throw Problem(.badRequest, "The path cannot be read: an escape is broken, or it holds a dot segment.")
      }
      let route = try Route(path.segments)
      switch route {
      case .uploads, .upload: return respondToUploader(request, route)
      default: break
      }
      isShared = route.isShared(request.method)
      try route.check(request.method, of: .depot)
      return try react(to: request, route, isShared: isShared)
    } catch {
      return .respond(response(to: error, request, isShared: isShared))
    }
  }

  /// The problem body for what never became a request.
  public func response(to refusal: HTTPRefusal) -> HTTPResponse {
    Problem(refusal).closingConnection().response(isShared: true)
  }

  private func react(
    to request: HTTPRequest, _ route: Route, isShared: Bool
  ) throws(Problem) -> HTTPReaction {
    switch (route, request.method) {
    case (_, .options): return .respond(route.options(for: request, of: .depot))
    case (.games, .post):
      let upload = try Upload(request, self)
      return later(request, isShared: isShared) { body throws(Problem) in try await upload.response(to: body)
      }
    case (.channel(let id, let name), _):
      let change = try ChannelChange(id, name, request, self)
      return later(request, isShared: isShared) { body throws(Problem) in try await change.response(to: body)
      }
    case (.game(let id), .delete):
      let removal = try GameRemoval(id, request, self)
      return later(request, isShared: isShared) { _ throws(Problem) in try removal.response() }
    case (.game(let id), .patch):
      let edit = try GameChange(id, request, self)
      return later(request, isShared: isShared) { body throws(Problem) in try await edit.response(to: body) }
    case (.version(let id, let version), .delete):
      let yank = try Yank(id, version, request, self)
      return later(request, isShared: isShared) { _ throws(Problem) in try yank.response() }
    case (.version(let id, let version), _):
      let base = try BaseURL(for: request, settings.publicURL)
      return try cached(request) { () throws(Problem) in
        try Answer(
          json: ListedVersion(try depot.anyRelease(id, version), base),
          cacheControl: base.cacheControl)
      }
    case (.batchCheck, _):
      let check = try BatchCheck(request, depot)
      return later(request, isShared: isShared) { body throws(Problem) in try await check.response(to: body) }
    case (.games, _):
      let listing = try GameListing(request, depot)
      guard listing.wait > 0 else {
        return laterCached(request) { () throws(Problem) in try listing.answer() }
      }
      return laterChanged(request, listing)
    case (.history(let id), _):
      let history = try VersionHistory(id, request, depot)
      return laterCached(request) { () throws(Problem) in try history.answer() }
    case (.manifest(let id), _):
      let manifest = try ManifestRead(id, nil, request, depot)
      return laterCached(request) { () throws(Problem) in try manifest.answer() }
    case (.versionManifest(let id, let version), _):
      let manifest = try ManifestRead(id, version, request, depot)
      return laterCached(request) { () throws(Problem) in try manifest.answer() }
    case (.delta(let id, let version), _):
      let delta = try DeltaRead(id, version, request, depot)
      return laterCached(request) { () throws(Problem) in try delta.answer() }
    case (.index(let id, let version), _):
      return index(.index, id, version, request)
    case (.blocks(let id, let version), _):
      return index(.blocks, id, version, request)
    case (.patch(let id, let version), _):
      _ = try depot.release(id, version)
      throw Problem(.notFound, "\(id) \(version) has no such patch; its delta.json lists those there are.")
    case (.game(let id), _):
      let detail = try GameDetail(id, request, depot)
      return try cached(request) { () throws(Problem) in try detail.answer() }
    case (.check(let id), _):
      let check = try UpdateCheck(id, request, depot)
      guard check.isWorthKeeping else {
        return answer(request, from: ReadyAnswer(try check.answer()), token: nil)
      }
      return try cached(request) { () throws(Problem) in try check.answer() }
    case (.package(let id), _):
      return .respond(try package(PackageRead(id, nil, request, depot), for: request))
    case (.versionPackage(let id, let version), _):
      return .respond(try package(PackageRead(id, version, request, depot), for: request))
    case (.uploads, _), (.upload, _): return respondToUploader(request, route)
    case (.audit, _):
      let audit = try AuditRead(request, self)
      return laterOwn(request) { () throws(Problem) in try audit.answer() }
    case (.console(let part), _): return try console(part, request)
    case (.health, _): return answer(request, from: ReadyAnswer(try Health.fine()), token: nil)
    case (.readiness, _): return answer(request, from: ReadyAnswer(try Health.ready(depot)), token: nil)
    case (.metrics, _):
      let metrics = DepotMetrics(depot: depot, program: program, transport: transport.withLock { $0 }())
      return laterOwn(request) { () throws(Problem) in try metrics.answer() }
    case (.openAPI, _): return answer(request, from: openAPI, token: nil)
    }
  }

  /// RFC 9110 §9.3.7: what the server can do at all.
  private static let serverOptions = HTTPResponse(
    .noContent, ["Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
}

extension DepotHandler {
  private func package(_ read: PackageRead, for request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let token = kept.token
    return kept.complete(try read.answer(), for: request, token: token)
  }

  private func index(
    _ part: IndexPart, _ id: GameID, _ version: H5Version, _ request: HTTPRequest
  ) -> HTTPReaction {
    let read = IndexRead(part, id, version, depot)
    let kept = request.detached()
    return later(request, isShared: true) { _ throws(Problem) in try read.response(to: kept) }
  }

  func later(
    _ request: HTTPRequest, isShared: Bool,
    _ work: @escaping @Sendable (any RequestBody) async throws(Problem) -> HTTPResponse
  ) -> HTTPReaction {
    let kept = request.detached()
    return .later { [self] body in
      do throws(Problem) {
        return try await work(body)
      } catch {
        return response(to: error, kept, isShared: isShared)
      }
    }
  }

  func response(to problem: Problem, _ request: HTTPRequest, isShared: Bool) -> HTTPResponse {
    if let cause = problem.cause {
      logger.error(
        "a request failed", requestID: request.id,
        [
          "method": request.method.text, "target": request.target, "status": "\(problem.slug.status.code)",
          "cause": String(describing: cause),
        ])
    }
    return problem.response(isShared: isShared)
  }

  /// Tells the log what a publisher or an admin changed, and forgets the answers that no longer hold.
  func noteChange(_ message: String, _ request: HTTPRequest, _ fields: Logger.Fields) {
    prepareBatch()
    tick()
    logger.info(message, requestID: request.id, fields)
  }
}
