import CommandOptions
import DepotModel
import HTTPClient
import MirrorClient
import Platform

/// `sync`: one run.
struct SyncCommand {
  private let mirror: Mirror
  private let origin: SyncOrigin
  private let options: SyncOptions
  private let client: HTTPClientSettings
  private let retries: Int
  private let progress: ProgressReporter?
  private let isSummaryWanted: Bool
  private let watchInterval: Duration?
  private let metricsFile: MetricsFile?
  private let onChange: String?
  private let environment: [String: String]
  private let isDryRun: Bool
  private let isJSON: Bool

  /// `file`: what `import` was given.
  init(_ settings: Settings, environment: [String: String], carried file: String? = nil) throws {
    origin = try file.map { .carried($0) } ?? Self.origin(settings, environment)
    mirror = Mirror(destination: try Destination.folder(settings), limits: try settings.zipLimits())
    let concurrency = try settings.integer("concurrency", in: 1...64) ?? 4
    options = SyncOptions(
      channel: try settings.read("channel", expected: "a channel's name", ChannelName.init) ?? .stable,
      selection: try Self.selection(settings),
      concurrency: concurrency,
      order: try settings.read("order", expected: "fifo or lifo", DownloadOrder.init(rawValue:)) ?? .fifo,
      keep: try settings.integer("keep", in: 1...1000) ?? 2,
      unpacks: try !settings.flag("no-unpack"), usesDelta: try !settings.flag("no-delta"),
      sharesFiles: try !settings.flag("no-share"),
      keepsPackages: try !settings.flag("no-keep-zip"),
      deletionLimit: try Self.deletionLimit(settings), maximumTime: try settings.duration("max-time"),
      lockWait: try settings.duration("lock-wait") ?? .zero,
      passwords: try Self.passwords(settings))
    isDryRun = try settings.flag("dry-run")
    isJSON = try settings.flag("json")
    guard isDryRun || !isJSON else {
      throw Failure(
        Failure.usage, "--json tells a plan: it needs --dry-run; --progress json tells what a run does")
    }
    if isDryRun, try settings.flag("watch") {
      throw Failure(
        Failure.usage, "--dry-run tells what one run would do, --watch never ends: choose one")
    }
    retries = try settings.integer("retries", in: 0...1000) ?? 5
    guard options.unpacks || options.keepsPackages else {
      throw Failure(Failure.usage, "--no-unpack and --no-keep-zip together would keep nothing")
    }
    var client = try Self.client(settings, connections: concurrency)
    client.rateLimit = try settings.read("limit-rate", expected: RateSchedule.syntax) {
      RateSchedule($0, size: Settings.size)
    }
    self.client = client
    (progress, isSummaryWanted) = try Self.progress(settings, environment)
    let interval = try settings.duration("watch-interval", atLeast: .seconds(1))
    watchInterval = try settings.flag("watch") ? interval : nil
    metricsFile = settings.string("metrics-file").map { MetricsFile(path: $0) }
    onChange = settings.string("on-change")
    if let onChange, onChange.allSatisfy(\.isWhitespace) {
      throw Failure(Failure.usage, "--on-change names no program")
    }
    self.environment = environment
  }

  func run(_ interruption: Interruption) async throws -> Int32 {
    let engine: TransferEngine
    do throws(TransferError) { engine = try TransferEngine(client) } catch {
      throw Failure(Failure.usage, error.description)
    }
    guard let interval = watchInterval else { return try await runOnce(engine, interruption) }
    while true {
      let code: Int32
      do {
        code = try await runOnce(engine, interruption)
      } catch let failure as Failure {
        // The next run may find the server again, or room on the disk.
        Self.tell(failure.message)
        code = failure.code
      }
      if let signal = interruption.exitCode { return signal }
      await pause(interval, afterFailure: code != 0, engine, interruption)
      if let signal = interruption.exitCode { return signal }
    }
  }

  private func pause(
    _ interval: Duration, afterFailure: Bool, _ engine: TransferEngine, _ interruption: Interruption
  ) async {
    let (mirror, origin, channel) = (mirror, origin, options.channel)
    let wait = Task {
      // What was carried here has nobody to ask: then the time alone counts.
      guard case .depots(let servers) = origin else { return try await Task.sleep(for: interval) }
      try await mirror.waitForChange(
        servers[0], engine: engine, channel: channel, interval: interval, afterFailure: afterFailure)
    }
    interruption.onSignal {
      wait.cancel()
      engine.stop()
    }
    // It fails only when it is cancelled.
    _ = await wait.result
  }

  private func runOnce(_ engine: TransferEngine, _ interruption: Interruption) async throws -> Int32 {
    let startedAt = SystemClock.unixMilliseconds
    let (mirror, origin, options, progress) = (mirror, origin, options, progress)
    let hook = onChange.map { ChangeHook($0, destination: mirror.destination, environment: environment) }
    let retries = RetryPolicy.standard(retries: retries)
    if isDryRun { return try await tellPlan(engine, retries, interruption) }
    let task = Task {
      let observer: SyncObserver = {
        hook?.observe($0)
        progress?.observe($0)
      }
      switch origin {
      case .depots(let servers):
        return try await mirror.sync(
          servers: servers, engine: engine, retries: retries, options: options, observer: observer)
      case .carried(let path):
        return try await mirror.sync(carried: path, options: options, observer: observer)
      }
    }
    interruption.onSignal {
      task.cancel()
      engine.stop()
      hook?.stop()
    }
    let result = await withHook(hook) { await task.result.mapError { $0 as? MirrorError ?? .cancelled } }
    progress?.end()
    let code = code(of: result, interruption)
    metricsFile?.write(mirror, result, exitCode: code, startedAt: startedAt)
    for line in hook?.failures ?? [] { Self.tell(line) }
    switch result {
    case .success(let report):
      for (game, error) in report.failures { Self.tell("\(game): \(error)") }
      for warning in report.warnings { Self.tell(warning) }
      if !report.left.isEmpty {
        Self.tell("--max-time is over: \(report.left.count) games are left for the next run")
      }
      if let held = report.heldDeletion { Self.tell(held.description) }
      if isSummaryWanted {
        for note in report.notices + report.notes { Self.tell(note) }
        Terminal.write("\(report.summary)\n", to: .error)
      }
      return code
    case .failure(let error): throw Failure(code, error.description)
    }
  }

  /// The exit code of a run; a signal that ended it has its own.
  private func code(of result: Result<SyncReport, MirrorError>, _ interruption: Interruption) -> Int32 {
    switch result {
    case .success(let report): report.exitCode
    case .failure(let error): interruption.exitCode ?? error.exitCode
    }
  }

  /// Runs the hook on a thread of its own beside `body`, and waits for both.
  private func withHook<Value: Sendable>(
    _ hook: ChangeHook?, _ body: () async -> Value
  ) async -> Value {
    guard let hook else { return await body() }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    do throws(SystemError) {
      _ = try PosixThread(name: "on-change") {
        hook.run()
        end.finish()
      }
    } catch {
      end.finish()
      Self.tell("--on-change cannot be run: \(error)")
    }
    let value = await body()
    hook.finish()
    for await _ in ends {}
    return value
  }

  private func tellPlan(
    _ engine: TransferEngine, _ retries: RetryPolicy, _ interruption: Interruption
  ) async throws -> Int32 {
    let (mirror, origin, options) = (mirror, origin, options)
    let task = Task {
      switch origin {
      case .depots(let servers):
        try await mirror.plan(servers: servers, engine: engine, retries: retries, options: options)
      case .carried(let path):
        try await mirror.plan(carried: path, options: options)
      }
    }
    interruption.onSignal {
      task.cancel()
      engine.stop()
    }
    switch await task.result {
    case .success(let plan):
      Terminal.write(isJSON ? plan.json : plan.text, to: .output)
      return plan.exitCode
    case .failure(let error as MirrorError):
      if let code = interruption.exitCode { return code }
      throw Failure(error)
    case .failure(let error): throw error
    }
  }

  private static func deletionLimit(_ settings: Settings) throws -> DeletionLimit? {
    let limit = try settings.read(
      "max-delete", expected: "a number of games or a percentage such as 10%", DeletionLimit.init)
    return try settings.flag("delete") ? limit : nil
  }

  static func tell(_ line: String) { Terminal.write("mirror-sync: \(line)\n", to: .error) }

  static func client(_ settings: Settings, connections: Int) throws -> HTTPClientSettings {
    var client = HTTPClientSettings.standard
    client.caFile = settings.string("cacert")
    client.proxy = settings.string("proxy")
    client.userAgent = "mirror-sync/\(Build.version)"
    client.maximumConnections = connections
    if let stall = try settings.duration("stall-timeout") { client.stallTimeout = stall }
    return client
  }

  static func origin(_ settings: Settings, _ environment: [String: String]) throws -> SyncOrigin {
    let texts = try settings.readAll("server", expected: SyncOrigin.syntax) { $0 }
    guard !texts.isEmpty else { throw UsageError.missingOption("server") }
    if texts.contains(where: SyncOrigin.isFileURL) {
      guard texts.count == 1, let path = SyncOrigin.path(ofFileURL: texts[0]) else {
        throw Failure(
          Failure.usage,
          "a file:// server stands alone and names a path of this machine: file:///media/mirror")
      }
      return .carried(path)
    }
    let urls = try settings.readAll("server", expected: SyncOrigin.syntax, WebURL.init)
    return .depots(try servers(urls, settings, environment))
  }

  /// Each gets the token, for it is asked for by name.
  private static func servers(
    _ urls: [WebURL], _ settings: Settings, _ environment: [String: String]
  ) throws -> [DepotServer] {
    let text = try token(settings, environment)
    return try urls.map { url in
      guard let text else { return DepotServer(url: url, token: nil) }
      guard let token = BearerToken(text, for: url.origin) else {
        throw Failure(Failure.usage, "the token is empty or holds characters that cannot be sent")
      }
      return DepotServer(url: url, token: token)
    }
  }

  private static func token(_ settings: Settings, _ environment: [String: String]) throws -> String? {
    let text: String
    if let path = settings.string("token-file") {
      let bytes = try SecretFile.bytes(path, of: "token", limit: 4096, allowsEverybody: true)
      text = String(decoding: bytes, as: UTF8.self)
    } else if let variable = environment["MIRROR_SYNC_TOKEN"], !variable.isEmpty {
      text = variable
    } else {
      return nil
    }
    return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Which games the options choose.
  static func selection(_ settings: Settings) throws -> GameSelection {
    func patterns(_ name: String) throws -> Set<GamePattern> {
      Set(try settings.readAll(name, expected: "a game's id or a pattern such as puzzle-*", GamePattern.init))
    }
    return GameSelection(
      only: Set(try settings.readAll("game", expected: "a game's id", GameID.init)),
      included: try patterns("include"), excluded: try patterns("exclude"))
  }

  static func passwords(_ settings: Settings) throws -> PackagePasswords {
    guard let path = settings.string("password-file") else { return .none }
    let limit = PackagePasswords.maximumSize
    let bytes = try SecretFile.bytes(path, of: "passwords", limit: limit + 1, allowsEverybody: false)
    guard bytes.count <= limit else {
      throw Failure(Failure.usage, "\(path) is larger than \(limit) bytes: that is no password file")
    }
    return try PackagePasswords(file: bytes)
  }

  private static func progress(
    _ settings: Settings, _ environment: [String: String]
  ) throws -> (reporter: ProgressReporter?, isSummaryWanted: Bool) {
    let styles: Set<String> = ["auto", "bar", "json", "none"]
    let style = try settings.read("progress", expected: "auto, bar, json or none") {
      styles.contains($0) ? $0 : nil
    }
    if try settings.flag("quiet") { return (nil, false) }
    let isVerbose = try settings.flag("verbose")
    let isSeen = Terminal.isTerminal(.error) && environment["TERM"] != "dumb"
    switch style {
    case "json":
      return (ProgressReporter(style: .json, columns: { nil }) { Terminal.write($0, to: .output) }, false)
    case "none": guard isVerbose else { return (nil, false) }
    case "bar": break
    default: guard isSeen || isVerbose else { return (nil, false) }
    }
    guard isSeen, style != "none" else {
      return (ProgressReporter(style: .lines, columns: { nil }) { Terminal.write($0, to: .error) }, true)
    }
    // https://no-color.org: set and not empty.
    let hasColour = environment["NO_COLOR", default: ""].isEmpty
    let reporter = ProgressReporter(
      style: .bar(hasColour: hasColour, steps: isVerbose), columns: { Terminal.width(of: .error) }
    ) {
      Terminal.write($0, to: .error)
    }
    return (reporter, true)
  }
}
