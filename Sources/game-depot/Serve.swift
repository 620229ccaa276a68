import CommandOptions
import DepotService
import HTTPServer
import HTTPWire
import Platform
import ReadAPI
import ZipArchive

/// `serve`: one depot over HTTP until a signal ends it.
struct Serve {
  private let settings: Settings
  private let logger: Logger
  private let listen: [ListenAddress]
  private let loops: Int
  private let limits: HTTPServerLimits
  private let proxies: TrustedProxies

  init(_ settings: Settings) throws(UsageError) {
    self.settings = settings
    let level = try settings.read("log-level", expected: "debug, info, notice, warning or error") { name in
      Logger.Level.allCases.first { $0.name == name }
    }
    logger = Logger(format: try Self.isJSON(settings) ? .json : .text, minimum: level ?? .info)
    listen = try settings.readAll("listen", expected: ListenAddress.syntax, ListenAddress.init)
    loops = try settings.integer("threads", in: 1...256) ?? ResourceLimits.processors
    var limits = HTTPServerLimits.standard
    let descriptors = ResourceLimits.raiseDescriptors()
    // Descriptors that are left serve packages, uploads and the catalogue.
    limits.connections =
      try settings.integer("max-connections", in: 1...10_000_000) ?? max(64, descriptors - 256)
    limits.connectionsPerAddress = try settings.integer("max-connections-per-ip", in: 1...10_000_000)
    proxies = TrustedProxies(
      try settings.readAll("trusted-proxy", expected: TrustedProxy.syntax, TrustedProxy.init))
    limits.headTimeout = try Self.time("head-timeout", settings) ?? limits.headTimeout
    limits.idleTimeout = try Self.time("idle-timeout", settings) ?? limits.idleTimeout
    limits.bodyWindow = try Self.time("body-window", settings) ?? limits.bodyWindow
    limits.sendWindow = try Self.time("send-window", settings) ?? limits.sendWindow
    if let drain = try settings.duration("drain-timeout") { limits.drainTimeout = drain }
    self.limits = limits
  }

  func run() async throws -> Int32 {
    let listen: [ListenAddress]
    do throws(SystemError) {
      listen = try ListenAddress.inherited(and: self.listen, isDefault: !settings.isGiven("listen"))
    } catch {
      throw Failure(Failure.unavailable, "cannot listen: \(error)")
    }
    let signals: [Signals.Signal] = [.terminate, .interrupt, .hangUp, .user1]
    Signals.block(signals)
    var depotSettings = try Opening.depotSettings(settings)
    depotSettings.publicURL = try settings.read(
      "public-url", expected: "http:// or https://, a host and perhaps a path", PublicURL.init)
    depotSettings.requiresReadToken = try settings.flag("require-read-token")
    if let expiry = try settings.duration("upload-expiry", atLeast: .seconds(1)) {
      depotSettings.uploadExpiry = expiry.components.seconds
    }
    if let count = try settings.integer("max-wrong-tokens", in: 1...60_000) {
      depotSettings.wrongTokens = count
    }
    depotSettings.hasConsole =
      try settings.read("console", expected: "on or off") { ["on": true, "off": false][$0] } ?? true
    let path = try settings.required("data")
    depotSettings.cachedBytes =
      try settings.size("cache").map { Int(clamping: $0) }
      ?? DepotSettings.cachedBytes(ofMemory: ResourceLimits.memory)
    depotSettings.cachedAnswers = DepotSettings.cachedAnswers(ofBytes: depotSettings.cachedBytes)
    let depot: Depot
    do throws(DepotError) {
      depot = try Depot(path: path, creating: true, settings: depotSettings)
    } catch {
      throw Failure(error)
    }
    guard let lock = try depot.lockForServing() else {
      throw Failure(Failure.busy, "another server holds \(depot.path)/serve.lock: one server a depot")
    }
    defer { withExtendedLifetime(lock) {} }
    if let removed = try depot.sweep(), removed > 0 {
      logger.notice("removed what a crash left in ingest", ["files": "\(removed)"])
    }
    let tls = try TLSSettings.context(settings, for: listen, logger: logger)
    let workers = try WorkerPool(count: max(4, 2 * loops))
    let accessLog = try accessLog()
    let handler = DepotHandler(
      depot: depot, logger: logger, openAPI: PackageResources.openapi_yaml,
      program: ProgramFacts(version: Build.version, startedAt: SystemClock.unixSeconds))
    handler.sweepUploads(isStarting: true)
    let server: HTTPServer
    do throws(SystemError) {
      server = try HTTPServer(
        handler: handler, listen: listen, tls: tls, loops: loops, workers: workers, limits: limits,
        proxies: proxies, accessLog: accessLog, logger: logger)
      try server.start()
    } catch {
      throw Failure(Failure.unavailable, "cannot listen: \(error)")
    }
    handler.observe { server.metrics }
    announce(server, depotSettings)
    let indexing = try startIndexing(depot)
    defer { withExtendedLifetime(indexing) {} }
    let manager = ServiceManager(environment: ThisProcess.environment)
    let watchdog = try manager.flatMap { manager throws(SystemError) in try Watchdog(server, manager) }
    manager?.ready()
    while let signal = Signals.wait(for: signals), signal == .hangUp || signal == .user1 {
      if signal == .hangUp, let tls {
        manager?.reloading()
        TLSSettings.reload(tls, settings, logger: logger)
        manager?.ready()
      }
      accessLog?.reopen()
      logger.info("reopened the access log")
    }
    manager?.stopping()
    watchdog?.end()
    logger.notice("stopping", ["drain": "\(limits.drainTimeout)"])
    handler.endWaits()
    // This is the main thread: were it to await, the runtime would park it with every signal unblocked.
    Task.detached { await server.stop() }
    server.waitUntilStopped()
    // Nobody hears of it any more when a package turns out well; whoever sent it will send it again.
    depot.giveUpChecks()
    workers.shutdown()
    handler.keepUp()
    accessLog?.close()
    logger.notice("stopped")
    return 0
  }

  /// Makes the indexes of packages that were published before there were any, beside the serving: until one is there, its
  /// mirrors fetch whole packages.
  private func startIndexing(_ depot: Depot) throws(SystemError) -> PosixThread {
    try PosixThread(name: "indexing") { [logger] in
      do throws(DepotError) {
        let made = try depot.makeMissingIndexes()
        if made > 0 { logger.notice("made the indexes of older packages", ["packages": "\(made)"]) }
      } catch {
        logger.error("cannot make the indexes of older packages", ["cause": "\(error)"])
      }
    }
  }

  /// The chosen addresses on stdout, for scripts; the limits in the log, for people.
  private func announce(_ server: HTTPServer, _ depot: DepotSettings) {
    for address in server.addresses { Terminal.write("listening on \(address)\n", to: .output) }
    logger.notice(
      "serving",
      [
        "version": Build.version, "loops": "\(loops)", "connections": "\(limits.connections)",
        "connectionsPerAddress": limits.connectionsPerAddress.map { "\($0)" } ?? "unlimited",
        "headBytes": "\(limits.head.headBytes)", "fields": "\(limits.head.fieldCount)",
        "headTimeout": "\(limits.headTimeout)", "idleTimeout": "\(limits.idleTimeout)",
        "bodyWindow": "\(limits.bodyWindow)", "sendWindow": "\(limits.sendWindow)",
        "drainTimeout": "\(limits.drainTimeout)", "maxUpload": "\(depot.maxUpload)",
        "diskFloor": "\(depot.diskFloor)", "uploadExpiry": "\(depot.uploadExpiry) seconds",
        "requireReadToken": "\(depot.requiresReadToken)",
        "wrongTokens": "\(depot.wrongTokens)", "console": depot.hasConsole ? "on" : "off",
        "cache": "\(depot.cachedBytes)",
        "zip": ZipLimits.settings.map { "\($0.name)=\($0.value(depot.zipLimits))" }.joined(separator: " "),
      ])
    if depot.publicURL == nil, server.addresses.contains(where: { !$0.isLoopback }) {
      logger.warning(
        "listening beyond loopback without --public-url: h5Down follows each request's Host, and shared caches keep nothing"
      )
    }
  }

  /// A time that a client is given. Much less than a second would cut off whoever is merely far away.
  private static func time(_ name: String, _ settings: Settings) throws(UsageError) -> Duration? {
    try settings.duration(name, atLeast: .milliseconds(500))
  }

  private func accessLog() throws -> AccessLog? {
    let format: AccessLog.Format = try Self.isJSON(settings) ? .json : .text
    switch try settings.required("access-log") {
    case "off": return nil
    case "-": return try AccessLog(format: format, destination: .standardOutput, logger: logger)
    case let path:
      do throws(SystemError) {
        return try AccessLog(format: format, destination: .file(path), logger: logger)
      } catch {
        throw Failure(Failure.cannotCreate, error.description)
      }
    }
  }

  private static func isJSON(_ settings: Settings) throws(UsageError) -> Bool {
    try settings.read("log-format", expected: "text or json") { ["text": false, "json": true][$0] } ?? false
  }
}
