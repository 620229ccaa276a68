import CommandOptions
import MirrorClient
import Platform

/// `export`: the packages in use of a mirror as one file.
enum ExportCommand {
  static func run(_ settings: Settings, _ interruption: Interruption) async throws -> Int32 {
    let mirror = Mirror(destination: try Destination.folder(settings))
    let file = settings.arguments[0]
    let selection = try SyncCommand.selection(settings)
    let wait = try settings.duration("lock-wait") ?? .zero
    let task = Task { try await mirror.export(to: file, selection: selection, lockWait: wait) }
    interruption.onSignal { task.cancel() }
    do {
      let summary = try await task.value
      Terminal.write("\(file): \(summary.text)\n", to: .output)
      return 0
    } catch MirrorError.cancelled {
      // Nothing was written under the file's name.
      throw Failure(interruption.exitCode ?? MirrorError.cancelled.exitCode, "stopped; nothing was exported")
    }
  }
}
