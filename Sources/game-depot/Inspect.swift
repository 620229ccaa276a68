import CommandOptions
import DepotService
import Platform
import ZipArchive

/// `inspect FILE.zip`: what a publish would find.
enum Inspect {
  /// Exit 0 accepted, 65 refused, 66 when the file cannot be read.
  static func run(_ settings: Settings) throws -> Int32 {
    let options = PackageOptions(
      limits: try settings.zipLimits(), keepWrapper: try settings.flag("keep-wrapper"),
      requireIndex: try settings.flag("require-index"),
      namesEncoding: try settings.read(
        "names-encoding", expected: "one of \(NamesEncoding.list)", { NamesEncoding($0) }))
    let isJSON = try settings.flag("json")
    let path = settings.arguments[0]
    let inspection: Inspection
    do {
      inspection = try Inspection(of: try File(path: path, mode: .read), options: options)
    } catch {
      throw Failure(Failure.noInput, "\(error)")
    }
    if isJSON {
      Terminal.write(String(decoding: inspection.json, as: UTF8.self) + "\n", to: .output)
    } else {
      Terminal.write(inspection.text(named: path), to: .output)
    }
    return inspection.isAccepted ? 0 : Failure.data
  }
}
