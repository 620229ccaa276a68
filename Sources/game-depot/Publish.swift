import Catalogue
import CommandOptions
import DepotModel
import DepotService
import HTTPClient
import Platform
import ZipArchive

/// `publish FILE.zip`: into a folder, or to a server.
struct Publish {
  private let settings: Settings
  private let file: File
  private let values: [String: String]
  private let fields: UploadFields

  init(_ settings: Settings) throws {
    self.settings = settings
    do throws(SystemError) {
      file = try File(path: settings.arguments[0], mode: .read)
    } catch {
      throw Failure(Failure.noInput, error.description)
    }
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
  private func isWorthTelling(_ severity: String, _ path: String?) -> Bool {
    severity == Finding.Severity.warning.rawValue || path == nil
  }

  private func warn(_ findings: [Finding]) {
    for finding in findings { warn(rule: finding.rule.rawValue, path: finding.path, detail: finding.detail) }
  }

  private func tell(isNew: Bool) {
    Terminal.write(
      "\(fields.gameID) \(fields.version) \(isNew ? "published" : "already there")\n", to: .output)
  }

  private func warn(rule: String, path: String?, detail: String) {
    let place = path.map { " \($0.debugDescription)" } ?? ""
    Terminal.write("game-depot: \(rule)\(place): \(detail)\n", to: .error)
  }
}

extension Publish {
  /// What the server says of an upload: the findings, and of a refusal what is wrong.
  private struct Answer: Decodable {
    struct Finding: Decodable {
      let rule: String
      let severity: String
      let path: String?
      let detail: String
    }

    let title: String?
    let detail: String?
    let findings: [Finding]?
  }

  private func publish(to server: String) async throws -> Int32 {
    let query = values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    guard let base = WebURL(server), let url = base.appending(["games"], query: query) else {
      throw UsageError.badValue(source: "--server", value: server, expected: "an http or https URL")
    }
    guard let token = BearerToken(try token(), for: base.origin) else {
      throw Failure(Failure.usage, "the token is empty or holds characters that no token has")
    }
    var client = HTTPClientSettings.standard
    client.caFile = settings.string("cacert")
    let engine = try TransferEngine(client)
    defer { engine.shutdown() }
    let response: FetchResponse
    do throws(TransferError) {
      response = try await engine.upload(
        UploadRequest(url, file: file, authorization: token), limit: 4 << 20, progress: { _ in })
    } catch {
      throw Failure(Failure.unavailable, "\(base): \(error)")
    }
    let answer = try? JSON.decode(Answer.self, from: response.body)  // A proxy's error page is no JSON.
    let isPublished = response.status / 100 == 2
    for finding in answer?.findings ?? []
    where !isPublished || isWorthTelling(finding.severity, finding.path) {
      warn(rule: finding.rule, path: finding.path, detail: finding.detail)
    }
    guard !isPublished else {
      tell(isNew: response.status == 201)
      return 0
    }
    // The detail of a refusal repeats the findings, which are told by now.
    let detail = answer?.findings == nil ? answer?.detail : "\(answer?.title ?? ""): nothing was published"
    let reason = detail ?? answer?.title ?? "the server answered \(response.status)"
    let code =
      switch response.status {
      case 401, 403: Failure.notPermitted
      case 400: Failure.usage
      case 409, 413, 415, 422: Failure.data
      case 507: Failure.cannotCreate
      default: Failure.unavailable
      }
    throw Failure(code, reason)
  }

  private func token() throws -> String {
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
