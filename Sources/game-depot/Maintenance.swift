import Catalogue
import CommandOptions
import DepotService
import Platform
import SQLite

/// `verify` and `migrate`.
enum Maintenance {
  static func verify(_ settings: Settings) throws -> Int32 {
    let report = try Opening.depot(settings, creating: false).verify(repairing: try settings.flag("repair"))
    for damage in report.damages {
      let reason =
        switch damage.kind {
        case .missing: "its package is missing"
        case .size(let expected, let actual): "its package has \(actual) bytes, not \(expected)"
        case .digest(let actual): "its package hashes to \(actual)"
        case .md5(let expected, let actual): "its package's MD5 is \(actual), not \(expected)"
        case .unreadable(let error): "\(error)"
        case .index(let why, let isMended): "its index is damaged: \(why)\(isMended ? "; made again" : "")"
        }
      let aside = damage.isSetAside ? "; moved aside, publish the same zip again to bring it back" : ""
      Terminal.write(
        "game-depot: \(damage.gameID) \(damage.version): \(reason) (blob \(damage.sha256))\(aside)\n",
        to: .error)
    }
    Terminal.write(
      "\(report.packages) packages, \(report.bytes) bytes, \(report.damages.count) damaged\n", to: .output)
    return report.damages.isEmpty ? 0 : Failure.data
  }

  static func migrate(_ settings: Settings) throws -> Int32 {
    if try settings.flag("status") {
      let status = try Catalogue.migrationStatus(path: "\(try settings.required("data"))/catalogue.sqlite")
      let pending =
        status.pending.isEmpty ? "nothing to do" : "to do: \(status.pending.joined(separator: ", "))"
      Terminal.write("\(status.applied) migrations applied, \(pending)\n", to: .output)
      return 0
    }
    let depot = try Opening.depot(settings, creating: true)
    do throws(DepotError) {
      let made = try depot.makeMissingIndexes()
      if made > 0 { Terminal.write("made the indexes of \(made) packages\n", to: .output) }
    } catch { throw Failure(error) }
    return 0
  }
}
