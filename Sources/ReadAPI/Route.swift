package import DepotModel
package import HTTPWire

/// The resources there are, and which methods each has.
package enum Route: Hashable, Sendable {
  case games
  case batchCheck
  case game(GameID)
  case history(GameID)
  case check(GameID)
  case manifest(GameID)
  case package(GameID)
  case version(GameID, H5Version)
  case versionManifest(GameID, H5Version)
  case versionPackage(GameID, H5Version)
  case delta(GameID, H5Version)
  case index(GameID, H5Version)
  case blocks(GameID, H5Version)
  case patch(GameID, H5Version)
  case channel(GameID, ChannelName)
  case audit
  case uploads
  /// Whatever it is called: only who may see it learns whether there is one.
  case upload(String)
  case console(ConsolePart)
  case health
  case readiness
  case metrics
  case openAPI

  /// Finds the resource of a decoded path. Throws `not-found`, or `unknown-…` for a name that nothing can have.
  package init(_ segments: [String]) throws(Problem) {
    switch segments.first {
    case "games" where segments.count == 1: self = .games
    case "games" where segments.count == 2 && segments[1] == "check": self = .batchCheck
    case "games": self = try Self.game(segments[1], Array(segments[2...]))
    case "uploads" where segments.count == 1: self = .uploads
    case "uploads" where segments.count == 2 && !segments[1].isEmpty: self = .upload(segments[1])
    case "audit" where segments.count == 1: self = .audit
    case "console" where segments.count == 1: self = .console(.page)
    case "console" where segments.count == 2:
      guard let part = ConsolePart(rawValue: segments[1]), part != .page else { throw Self.nothing }
      self = .console(part)
    case "healthz" where segments.count == 1: self = .health
    case "readyz" where segments.count == 1: self = .readiness
    case "metrics" where segments.count == 1: self = .metrics
    case "openapi.yaml" where segments.count == 1: self = .openAPI
    default: throw Self.nothing
    }
  }

  private static func game(_ name: String, _ rest: [String]) throws(Problem) -> Route {
    switch rest.count {
    case 0: return .game(try id(name))
    case 1 where rest[0] == "versions": return .history(try id(name))
    case 1 where rest[0] == "check": return .check(try id(name))
    case 1 where rest[0] == "manifest": return .manifest(try id(name))
    case 1 where rest[0] == "package.zip": return .package(try id(name))
    case 2 where rest[0] == "channels":
      let id = try id(name)
      guard let channel = ChannelName(rest[1]) else { throw .unknownChannel(id, rest[1].debugDescription) }
      return .channel(id, channel)
    case 2 where rest[0] == "versions" && !rest[1].isEmpty: return try version(name, rest[1], nil)
    case 3 where rest[0] == "versions": return try version(name, rest[1], rest[2])
    case 4 where rest[0] == "versions" && rest[2] == "patches":
      guard SHA256Digest(hex: rest[3]) != nil else { throw nothing }
      return try version(name, rest[1], rest[2])
    default: throw nothing
    }
  }

  private static func version(_ name: String, _ text: String, _ part: String?) throws(Problem) -> Route {
    let make: (GameID, H5Version) -> Route
    switch part {
    case nil: make = Route.version
    case "manifest": make = Route.versionManifest
    case "package.zip": make = Route.versionPackage
    case "delta.json": make = Route.delta
    case "index": make = Route.index
    case "blocks": make = Route.blocks
    case "patches": make = Route.patch
    default: throw nothing
    }
    let id = try id(name)
    guard let version = H5Version(text) else { throw .unknownVersion(id, text.debugDescription) }
    return make(id, version)
  }

  private static func id(_ name: String) throws(Problem) -> GameID {
    guard !name.isEmpty else { throw nothing }
    guard let id = GameID(name) else { throw .unknownGame(name.debugDescription) }
    return id
  }

  package static let nothing = Problem(
    .notFound, "There is nothing at this path; GET /openapi.yaml tells what there is.")

  /// What the web console is made of: its page at `/console`, and the files below.
  package enum ConsolePart: String, Hashable, Sendable, CaseIterable {
    case page = "index"
    /// `/console/`, which leads to the page.
    case folder = ""
    case script = "console.js"
    case style = "console.css"
    case icon = "icon.svg"
    /// Who is logged in: POST logs in, DELETE logs out.
    case session
  }

  /// Who answers: a depot, or a mirror of one, which hands out what it has and takes nothing.
  package enum Service: Sendable { case depot, mirror }

  /// The methods beside HEAD (wherever there is GET) and OPTIONS.
  private func methods(of service: Service) -> [HTTPMethod] {
    switch service {
    case .depot: methods
    case .mirror: isOfDepots ? [] : methods.filter { $0 == .get || self == .batchCheck }
    }
  }

  private var methods: [HTTPMethod] {
    switch self {
    case .games: [.get, .post]
    case .batchCheck: [.post]
    case .game: [.get, .patch, .delete]
    case .version: [.get, .delete]
    case .channel: [.put]
    case .uploads: [.post]
    case .upload: [.get, .patch, .delete]
    case .console(.session): [.get, .post, .delete]
    case .history, .check, .manifest, .package, .versionManifest, .versionPackage, .delta, .index, .blocks,
      .patch, .audit, .console,
      .health, .readiness, .metrics, .openAPI:
      [.get]
    }
  }

  /// Whether it is about the depot itself and not about games: nothing that mirrors have, or that is for everybody.
  private var isOfDepots: Bool {
    switch self {
    case .audit, .console, .uploads, .upload, .metrics: true
    default: false
    }
  }

  /// Whether a page of any origin may send `method` here and read the answer.
  package func isShared(_ method: HTTPMethod) -> Bool {
    switch method {
    case .get, .head: methods.contains(.get) && !isOfDepots
    case .post: self == .batchCheck
    default: false
    }
  }

  /// Throws `method-not-allowed` with the methods that apply.
  package func check(_ method: HTTPMethod, of service: Service) throws(Problem) {
    guard !allows(method, service) else { return }
    guard service == .depot || !isOfDepots else { throw Self.nothing }
    let allow = allow(service)
    throw Problem(
      .methodNotAllowed, "\(method.text) does not apply here; \(allow) do.", fields: ["Allow": allow])
  }

  /// What may be done here, and to a preflight (the Fetch standard) what pages of other origins may do.
  package func options(for request: HTTPRequest, of service: Service) -> HTTPResponse {
    var fields: HTTPFields = ["Allow": allow(service)]
    if let method = request[.accessControlRequestMethod], isShared(HTTPMethod(method)) {
      let methods = [HTTPMethod.get, .head, .post].filter { isShared($0) && allows($0, service) }
      CrossOrigin.appendPreflight(of: methods.map(\.text).joined(separator: ", "), to: &fields)
    }
    return HTTPResponse(.noContent, fields)
  }

  /// The value of `Allow` (RFC 9110 §10.2.1).
  private func allow(_ service: Service) -> String {
    var names: [String] = []
    for method in methods(of: service) {
      names.append(method.text)
      if method == .get { names.append(HTTPMethod.head.text) }
    }
    return (names + [HTTPMethod.options.text]).joined(separator: ", ")
  }

  private func allows(_ method: HTTPMethod, _ service: Service) -> Bool {
    let methods = methods(of: service)
    return methods.contains(method) || method == .options || method == .head && methods.contains(.get)
  }
}
