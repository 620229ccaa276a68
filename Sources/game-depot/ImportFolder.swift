import Catalogue
import CommandOptions
import DepotService
import Platform

/// `import DIR`: publishes a folder of zips.
enum ImportFolder {
  /// Exit 65 when a package was refused or a name not understood; the others are published all the same.
  static func run(_ settings: Settings) throws -> Int32 {
    let path = settings.arguments[0]
    let plan: ImportPlan
    do throws(DepotError) { plan = try ImportPlan(folder: path) } catch {
      throw Failure(Failure.noInput, "\(error)")
    }
    for name in plan.unreadable {
      report(
        name, "names no game and version: <gameId>/<h5Version>.zip or <gameId>-<h5Version>.zip is expected")
    }
    if try settings.flag("dry-run") {
      for candidate in plan.candidates {
        Terminal.write("\(candidate.path): \(candidate.gameID) \(candidate.version)\n", to: .output)
      }
      return plan.unreadable.isEmpty ? 0 : Failure.data
    }
    let folder = try Directory(path: path)
    let depot = try Opening.depot(settings, creating: true)
    var failures = plan.unreadable.count
    for candidate in plan.candidates {
      do {
        let fields = UploadFields(gameID: candidate.gameID, version: candidate.version)
        let publication = try depot.publish(
          try folder.file(candidate.path, mode: .read), as: fields, actor: "cli")
        let state = publication.isNew ? "published" : "already there"
        Terminal.write("\(candidate.path): \(candidate.gameID) \(candidate.version) \(state)\n", to: .output)
      } catch {
        failures += 1
        report(candidate.path, "\(error)")
      }
    }
    return failures == 0 ? 0 : Failure.data
  }

  private static func report(_ name: String, _ reason: String) {
    Terminal.write("game-depot: \(name.debugDescription): \(reason)\n", to: .error)
  }
}
