import CommandOptions
import MirrorClient
import Platform

/// Runs one command; its exit code.
func run(_ settings: Settings, environment: [String: String], _ interruption: Interruption) async throws
  -> Int32
{
  switch settings.command {
  case Commands.sync:
    return try await SyncCommand(settings, environment: environment).run(interruption)
  case Commands.importFile:
    return try await SyncCommand(settings, environment: environment, carried: settings.arguments[0])
      .run(interruption)
  case Commands.export:
    return try await ExportCommand.run(settings, interruption)
  case Commands.status:
    let status = try Mirror(destination: try Destination.folder(settings)).status()
    Terminal.write(try settings.flag("json") ? status.json : status.text, to: .output)
    return 0
  case Commands.verify:
    return try await VerifyCommand.run(settings, environment: environment, interruption)
  case Commands.rollback: return try await VersionCommands.rollback(settings)
  case Commands.remove: return try await VersionCommands.remove(settings)
  case Commands.serve:
    return try await Play.run(settings, environment: environment, interruption)
  default:
    return Failure.usage
  }
}

/// Reads what the program was asked to do, does it and tells what went wrong; the exit code.
func runProgram(_ words: [String], _ interruption: Interruption) async -> Int32 {
  do {
    let environment = ThisProcess.environment
    switch try Commands.program.invocation(arguments: words, environment: environment) {
    case .help(let text), .version(let text): Terminal.write(text, to: .output)
    case .run(let settings): return try await run(settings, environment: environment, interruption)
    }
    return 0
  } catch let error as Failure {
    SyncCommand.tell(error.message)
    return error.code
  } catch let error as MirrorError {
    SyncCommand.tell(error.description)
    return error.exitCode
  } catch let error as UsageError {
    SyncCommand.tell(error.description)
    return Failure.usage
  } catch {
    SyncCommand.tell("\(error)")
    return 70
  }
}

ResourceLimits.keepHeapSmall()
let interruption = Interruption()
Signals.ignoreBrokenPipes()
let words = Array(CommandLine.arguments.dropFirst())
Task.detached { [words, interruption] in ThisProcess.exit(await runProgram(words, interruption)) }
interruption.watch()
