internal import DepotModel
public import HTTPWire
public import Platform

/// A mirror's games for a browser: `/` lists them, `/play/<gameId>/…` is the current version of one.
///
/// Files are opened beneath a descriptor of the version's folder, so no path leads outside it. A request is answered
/// from one version; a flip of `current` is seen by the next.
public struct PlayHandler: HTTPHandler {
  private let games: InstalledGames
  private let front: FrontDesk
  private let logger: Logger

  /// Serves the mirror at `path`. Throws when there is no `games` folder in it: a wrong path is told at once.
  public init(mirrorAt path: String, logger: Logger) throws(SystemError) {
    games = InstalledGames(folder: try Directory(path: path).directory("games"))
    front = FrontDesk(games: games)
    self.logger = logger
  }

  /// Opening a local file takes microseconds: every answer is given on the loop.
  public func respond(to request: HTTPRequest) -> HTTPReaction {
    .respond(answer(to: request))
  }

  private func answer(to request: HTTPRequest) -> HTTPResponse {
    guard request.method == .get || request.method == .head else {
      let status: HTTPStatus = request.method == .options ? .noContent : .methodNotAllowed
      return HTTPResponse(status, ["Allow": "GET, HEAD, OPTIONS"])
    }
    guard let segments = PathSegments(request.path)?.segments else {
      return plain(.badRequest, "The path cannot be read.")
    }
    do throws(SystemError) {
      switch (segments.first, segments.count) {
      case ("", 1): return try front.response(to: request)
      case ("play", 2...):
        guard let id = GameID(segments[1]), let version = try games.currentVersion(of: id) else {
          return missing
        }
        guard segments.count > 2 else { return redirect(request) }
        return try file(Array(segments.dropFirst(2)), of: id, version, request)
      default: return missing
      }
    } catch {
      logger.error(
        "cannot serve a file", requestID: request.id, ["path": request.path, "cause": error.description])
      return plain(.internalServerError, "The file cannot be read; the log has the cause.")
    }
  }

  private func file(
    _ segments: [String], of id: GameID, _ version: H5Version, _ request: HTTPRequest
  ) throws(SystemError) -> HTTPResponse {
    let isFolder = segments.last == ""
    let names = isFolder ? segments.dropLast() + ["index.html"] : segments
    guard names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }) else { return missing }
    let path = names.joined(separator: "/")
    let folder = try games.files(of: id, version)
    guard let status = try folder.status(of: path) else { return missing }
    switch status.kind {
    case .regular: break
    case .directory where !isFolder: return redirect(request)
    case .directory, .symlink, .other: return missing
    }
    return PlayedFile(try folder.file(path, mode: .read), status: status, version: version)
      .response(to: request, type: ContentType.of(path: path))
  }

  /// A folder without its slash: relative links in its page would lead astray. Built from the path as it was sent.
  private func redirect(_ request: HTTPRequest) -> HTTPResponse {
    let query = request.query.map { "?\($0)" } ?? ""
    // RFC 9110 §15.4.9, and two slashes at the start would name another host (RFC 3986 §4.2).
    let path = "/" + request.path.drop { $0 == "/" }
    return HTTPResponse(.permanentRedirect, ["Location": "\(path)/\(query)"])
  }

  private var missing: HTTPResponse { plain(.notFound, "There is no such file.") }

  private func plain(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status, ["Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"],
      .bytes(Array("\(text)\n".utf8)))
  }
}
