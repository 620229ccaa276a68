import Catalogue
import CommandOptions
import DepotModel
import DepotService
import HTTPClient
import Platform
import ZipArchive

/// `publish FILE.zip`: into a folder, or to a server.
struct Publish {
  let settings: Settings
  let file: File
  let values: [String: String]
  let fields: UploadFields
  let isQuiet: Bool

  init(_ settings: Settings) throws {
    self.settings = settings
    do throws(SystemError) {
      file = try File(path: settings.arguments[0], mode: .read)
    } catch {
      throw Failure(Failure.noInput, error.description)
    }
    isQuiet = try settings.flag("quiet")
    var values = ["gameId": try settings.required("game"), "h5Version": try settings.required("h5-version")]
    let texts = [
      "title": "title", "channel": "channel", "min-host-version": "minHostVersion", "notes": "notes",
      "names-encoding": "namesEncoding",
    ]
    for (option, field) in texts { values[field] = settings.string(option) }
    let flags = ["mandatory": "mandatory", "keep-wrapper": "keepWrapper", "require-index": "requireIndex"]
    for (option, field) in flags where try settings.flag(option) { values[field] = "true" }
    self.values = values
    do throws(FieldError) {
      fields = try UploadFields(values)
    } catch {
      throw Failure(Failure.usage, error.detail)
    }
  }

  func run() async throws -> Int32 {
    var (server, data) = (settings.string("server"), settings.string("data"))
    // What was typed beats what variables and the file say: both serve all commands.
    switch (settings.isOnCommandLine("server"), settings.isOnCommandLine("data")) {
    case (true, false): data = nil
    case (false, true): server = nil
    case (true, true), (false, false): break
    }
    switch (server, data) {
    case (let server?, nil): return try await publish(to: server)
    case (nil, _?): return try publishIntoFolder()
    case (nil, nil): throw Failure(Failure.usage, "--server URL or --data DIR is required")
    case (_?, _?): throw Failure(Failure.usage, "--server and --data exclude each other")
    }
  }

  private func publishIntoFolder() throws -> Int32 {
    let depot = try Opening.depot(settings, creating: true)
    do throws(PublishError) {
      let publication = try depot.publish(file, as: fields, actor: "cli")
      for finding in publication.findings where isWorthTelling(finding.severity.rawValue, finding.path) {
        warn(rule: finding.rule.rawValue, path: finding.path, detail: finding.detail)
      }
      tell(isNew: publication.isNew)
      return 0
    } catch {
      guard case .refused(let findings) = error else { throw Failure(error) }
      warn(findings)
      throw Failure(Failure.data, "the package breaks a rule: nothing was published")
    }
  }

  /// Of a package that was published: warnings, and what is said of the package as a whole, such as how its names were read.
  func isWorthTelling(_ severity: String, _ path: String?) -> Bool {
    severity == Finding.Severity.warning.rawValue || path == nil
  }

  private func warn(_ findings: [Finding]) {
    for finding in findings { warn(rule: finding.rule.rawValue, path: finding.path, detail: finding.detail) }
  }

  func tell(isNew: Bool) {
    guard !isQuiet else { return }
    Terminal.write(
      "\(fields.gameID) \(fields.version) \(isNew ? "published" : "already there")\n", to: .output)
  }

  func warn(rule: String, path: String?, detail: String) {
    let place = path.map { " \($0.debugDescription)" } ?? ""
    Terminal.write("game-depot: \(rule)\(place): \(detail)\n", to: .error)
  }
}

extension Publish {
  /// The secret that --token-file or the variable holds.
  func token() throws -> String {
    if let path = settings.string("token-file") {
      do throws(SystemError) {
        let file = try File(path: path, mode: .read)
        let text = String(decoding: try file.bytes(at: 0, count: 4096), as: UTF8.self)
        return String(text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
      } catch {
        throw Failure(Failure.noInput, error.description)
      }
    }
    guard let token = ThisProcess.environment["GAME_DEPOT_TOKEN"], !token.isEmpty else {
      throw Failure(Failure.usage, "a token is required: --token-file FILE or the variable GAME_DEPOT_TOKEN")
    }
    return token
  }
}
