import CommandOptions
import DepotService
import Platform

/// Opens the depot a command names.
enum Opening {
  /// The settings that every command on a folder shares. The zip's limits are the standard ones where the command has no
  /// options for them.
  static func depotSettings(_ settings: Settings) throws(UsageError) -> DepotSettings {
    var depot = DepotSettings.standard
    if let size = try settings.size("max-upload") { depot.maxUpload = size }
    if let size = try settings.size("disk-floor") { depot.diskFloor = size }
    depot.zipLimits = try settings.zipLimits()
    return depot
  }

  /// With `creating` the folder is made and migrated when it is missing; without, a missing one is told.
  static func depot(_ settings: Settings, creating: Bool) throws -> Depot {
    let path = try settings.required("data")
    let depotSettings = try depotSettings(settings)
    do throws(DepotError) {
      return try Depot(path: path, creating: creating, settings: depotSettings)
    } catch {
      if !creating, case .system(let cause) = error, cause.isNotFound {
        throw Failure(Failure.noInput, "\(path) holds no depot; `game-depot serve` and `migrate` make one")
      }
      throw Failure(error)
    }
  }
}
