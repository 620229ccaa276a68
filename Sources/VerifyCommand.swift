import CommandOptions
import DepotModel
import HTTPClient
import MirrorClient
import Platform

/// `verify`: what stands against what was installed, and mended if asked for.
enum VerifyCommand {
  static func run(
    _ settings: Settings, environment: [String: String], _ interruption: Interruption
  ) async throws -> Int32 {
    let mirror = Mirror(destination: try Destination.folder(settings), limits: try settings.zipLimits())
    let options = VerifyOptions(
      only: Set(try settings.readAll("game", expected: "a game's id", GameID.init)),
      isFull: try settings.flag("full"), repairs: try settings.flag("repair"),
      lockWait: try settings.duration("lock-wait") ?? .zero, passwords: try SyncCommand.passwords(settings))
    let server = try settings.read(
      "server", expected: "an http or https URL without user and password", WebURL.init)
    let engine: TransferEngine?
    let task: Task<VerifyReport, any Error>
    if let server, options.repairs {
      let (client, retries) = (try SyncCommand.client(settings, connections: 2), try retries(settings))
      let token = try SyncCommand.token(settings, environment, server)
      let started: TransferEngine
      do throws(TransferError) { started = try TransferEngine(client) } catch {
        throw Failure(Failure.usage, error.description)
      }
      engine = started
      task = Task {
        try await mirror.verify(options, server: server, engine: started, token: token, retries: retries)
      }
    } else {
      engine = nil
      task = Task { try await mirror.verify(options) }
    }
    interruption.onSignal {
      task.cancel()
      engine?.stop()
    }
    let result = await task.result
    if let code = interruption.exitCode, case .failure = result { return code }
    let report = try result.get()
    try tell(report, asJSON: settings.flag("json"))
    return report.exitCode
  }

  private static func retries(_ settings: Settings) throws -> RetryPolicy {
    .standard(retries: try settings.integer("retries", in: 0...1000) ?? 5)
  }

  private static func tell(_ report: VerifyReport, asJSON isJSON: Bool) throws {
    if isJSON { return Terminal.write(report.json, to: .output) }
    for damage in report.repaired { Terminal.write("mended: \(damage)\n", to: .output) }
    for damage in report.damages { SyncCommand.tell("\(damage)") }
    for failure in report.failures { SyncCommand.tell(failure) }
    for version in report.unlisted {
      SyncCommand.tell("\(version): its files were not recorded when it was installed; sync again")
    }
    // Cron gets no output when all is well.
    if Terminal.isTerminal(.error) { Terminal.write("\(report.summary)\n", to: .error) }
  }
}
