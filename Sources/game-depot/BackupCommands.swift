import CommandOptions
import DepotService
import Platform

/// `gc`, `backup` and `restore`.
enum BackupCommands {
  static func collectGarbage(_ settings: Settings) throws -> Int32 {
    let path = try settings.required("data")
    let isDry = try settings.flag("dry-run")
    let report: GarbageReport
    do throws(DepotError) { report = try Depot.collectGarbage(in: path, isDry: isDry) } catch {
      if case .system(let cause) = error, cause.isNotFound {
        throw Failure(Failure.noInput, "\(path) holds no depot")
      }
      throw Failure(error)
    }
    Terminal.write(
      "\(isDry ? "would remove" : "removed") \(report.packages) packages and \(report.leftovers) leftovers of uploads, "
        + "\(report.bytes) bytes\n", to: .output)
    return 0
  }

  static func backUp(_ settings: Settings) throws -> Int32 {
    let depot = try Opening.depot(settings, creating: false)
    let report: BackupReport
    do throws(BackupError) { report = try depot.backUp(to: settings.arguments[0]) } catch {
      throw Failure(error)
    }
    return tell(report, "backed up", " (\(report.linked) linked)")
  }

  static func restore(_ settings: Settings) throws -> Int32 {
    let path = try settings.required("data")
    let report: BackupReport
    do throws(BackupError) { report = try Depot.restore(from: settings.arguments[0], to: path) } catch {
      throw Failure(error)
    }
    return tell(report, "restored", "")
  }

  private static func tell(_ report: BackupReport, _ what: String, _ how: String) -> Int32 {
    for lost in report.lost {
      Terminal.write("game-depot: package \(lost.package): \(lost.reason)\n", to: .error)
    }
    Terminal.write("\(what) \(report.packages) packages\(how), \(report.bytes) bytes\n", to: .output)
    return report.lost.isEmpty ? 0 : Failure.data
  }
}

extension Failure {
  fileprivate init(_ error: BackupError) {
    let code =
      switch error {
      case .occupied, .depot: Self.cannotCreate
      case .missing: Self.noInput
      case .unreadable: Self.data
      case .busy: Self.busy
      }
    self.init(code, error.description)
  }
}
