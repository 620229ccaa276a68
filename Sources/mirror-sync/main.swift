import CommandOptions
import Glibc
import MirrorClient
import Platform

/// Runs one command; its exit code.
func run(_ settings: Settings, environment: [String: String]) async throws -> Int32 {
  switch settings.command {
  case Commands.sync:
    return try await SyncCommand(settings, environment: environment).run()
  case Commands.status:
    let status = try Mirror(destination: try settings.required("dest")).status()
    Terminal.write(try settings.flag("json") ? status.json : status.text, to: .output)
    return 0
  default:
    return Failure.usage
  }
}

Interruption.block()
Signals.ignoreBrokenPipes()
var exitCode: Int32 = 0
do {
  let environment = ProcessEnvironment.current
  let words = Array(CommandLine.arguments.dropFirst())
  switch try Commands.program.invocation(arguments: words, environment: environment) {
  case .help(let text), .version(let text): Terminal.write(text, to: .output)
  case .run(let settings): exitCode = try await run(settings, environment: environment)
  }
} catch let error as Failure {
  SyncCommand.tell(error.message)
  exitCode = error.code
} catch let error as MirrorError {
  SyncCommand.tell(error.description)
  exitCode = error.exitCode
} catch let error as UsageError {
  SyncCommand.tell(error.description)
  exitCode = Failure.usage
} catch {
  SyncCommand.tell("\(error)")
  exitCode = 70
}
exit(exitCode)
