import CommandOptions
import DepotModel
import MirrorClient
import Platform

/// `rollback` and `remove`: what is done to one game, without a server.
enum VersionCommands {
  static func rollback(_ settings: Settings) async throws -> Int32 {
    let id = try game(settings)
    let mirror = Mirror(destination: try Destination.folder(settings))
    let wait = try settings.duration("lock-wait") ?? .zero
    let version = try settings.read("to", expected: "a version", H5Version.init)
    if try settings.flag("release") {
      guard version == nil else {
        throw Failure(Failure.usage, "--release ends a rollback, --to begins one: give one of them")
      }
      let isEnded = try await mirror.endHold(of: id, lockWait: wait)
      tell(
        isEnded
          ? "\(id) is not held any more; the next sync brings it in step with the server"
          : "\(id) was not held")
      return 0
    }
    let done = try await mirror.rollBack(id, to: version, lockWait: wait)
    let from = done.from.map { $0 == done.to ? "stays at" : "went from \($0) to" } ?? "is at"
    tell(
      "\(id) \(from) \(done.to), and syncs leave it there until the server publishes something newer or "
        + "rollback \(id) --release")
    return 0
  }

  static func remove(_ settings: Settings) async throws -> Int32 {
    let id = try game(settings)
    let mirror = Mirror(destination: try Destination.folder(settings))
    try await mirror.remove(id, lockWait: try settings.duration("lock-wait") ?? .zero)
    tell("\(id) is removed; a later sync fetches it again unless it is given --exclude \(id)")
    return 0
  }

  private static func game(_ settings: Settings) throws -> GameID {
    guard let word = settings.arguments.first, let id = GameID(word) else {
      throw Failure(
        Failure.usage, "\((settings.arguments.first ?? "").debugDescription) is no game's id")
    }
    return id
  }

  private static func tell(_ line: String) { Terminal.write("\(line)\n", to: .output) }
}
