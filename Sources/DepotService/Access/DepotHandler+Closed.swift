internal import Catalogue
internal import HTTPWire
internal import ReadAPI

/// A depot whose games are not for everybody (`--require-read-token`).
extension DepotHandler {
  /// What a supervisor asks, who has no token; it tells nothing of the games.
  private static let open: Set<String> = ["/healthz", "/readyz"]

  /// Judges the token before anything else, also before answers that are kept ready. None of the answers may be repeated
  /// unasked: a token can expire while nothing else changes.
  func respondToTokenHolders(_ request: HTTPRequest) -> HTTPReaction {
    let path = request.path
    // The console's own files tell nothing of the games, and its login brings the token.
    guard request.method != .options, !Self.open.contains(path), path != "/console",
      !path.hasPrefix("/console/")
    else {
      return respondToEverybody(request)
    }
    do throws(Problem) {
      _ = try access.authorise(request, for: .read)
    } catch {
      let route = request.pathSegments.flatMap { try? Route($0.segments) }  // Nothing there is not shared.
      return .respond(response(to: error, request, isShared: route?.isShared(request.method) ?? false))
    }
    switch respondToEverybody(request) {
    case .respond(let response), .repeatable(let response): return .respond(response.forTokenHolders)
    case .later(let work): return .later { body in await work(body).forTokenHolders }
    }
  }
}

extension HTTPResponse {
  /// The same, but shared caches must not keep it (RFC 9111 §5.2.2.7), nor give it to another token's holder.
  var forTokenHolders: HTTPResponse {
    var head = head
    if let found = head.firstRange(of: Array("\r\nCache-Control: public".utf8)) {
      head.replaceSubrange(found, with: "\r\nCache-Control: private".utf8)
    }
    head += "Vary: Authorization\r\n".utf8
    return with(head: head)
  }
}
