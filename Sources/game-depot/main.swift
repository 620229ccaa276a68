import CommandOptions
import Platform

/// Runs one command; its exit code.
func run(_ settings: Settings) async throws -> Int32 {
  switch settings.command {
  case Commands.serve: try await Serve(settings).run()
  case Commands.tokenCreate: try TokenCommands.create(settings)
  case Commands.tokenList: try TokenCommands.list(settings)
  case Commands.tokenRevoke: try TokenCommands.revoke(settings)
  case Commands.publish: try await Publish(settings).run()
  case Commands.pack: try Pack(settings).run()
  case Commands.inspect: try Inspect.run(settings)
  case Commands.importFolder: try ImportFolder.run(settings)
  case Commands.channelSet: try ChannelCommands.set(settings)
  case Commands.channelYank: try ChannelCommands.yank(settings)
  case Commands.channelRemove: try ChannelCommands.remove(settings)
  case Commands.audit: try Audit.run(settings)
  case Commands.verify: try Maintenance.verify(settings)
  case Commands.gc: try BackupCommands.collectGarbage(settings)
  case Commands.backup: try BackupCommands.backUp(settings)
  case Commands.restore: try BackupCommands.restore(settings)
  case Commands.migrate: try Maintenance.migrate(settings)
  case Commands.healthcheck: try await Healthcheck.run(settings)
  default: Failure.usage
  }
}

Signals.ignoreBrokenPipes()
var exitCode: Int32 = 0
do {
  let words = Array(CommandLine.arguments.dropFirst())
  switch try Commands.program.invocation(arguments: words, environment: ThisProcess.environment) {
  case .help(let text), .version(let text): Terminal.write(text, to: .output)
  case .run(let settings): exitCode = try await run(settings)
  }
} catch let error as Failure {
  Terminal.write("game-depot: \(error.message)\n", to: .error)
  exitCode = error.code
} catch let error as UsageError {
  Terminal.write("game-depot: \(error)\n", to: .error)
  exitCode = Failure.usage
} catch {
  Terminal.write("game-depot: \(error)\n", to: .error)
  exitCode = 70
}
ThisProcess.exit(exitCode)
