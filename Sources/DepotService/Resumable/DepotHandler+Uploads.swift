internal import Catalogue
internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// The routes of resumable uploads: every answer is one of tus.
extension DepotHandler {
  func respondToUploader(_ request: HTTPRequest, _ route: Route) -> HTTPReaction {
    do throws(Problem) {
      return try reactToUploader(request, route)
    } catch {
      return .respond(response(to: error, request, isShared: false).forUploader)
    }
  }

  private func reactToUploader(_ request: HTTPRequest, _ route: Route) throws(Problem) -> HTTPReaction {
    let method = Tus.method(of: request)
    try route.check(method, of: .depot)
    if method == .options {
      var fields = route.options(for: request, of: .depot).fields
      Tus.append(to: &fields, maxSize: settings.maxUpload)
      return .respond(HTTPResponse(.noContent, fields).forUploader)
    }
    guard case .upload(let text) = route else {
      let creation = try UploadCreation(request, self)
      return laterForUploader(request) { body throws(Problem) in try await creation.response(to: body) }
    }
    guard let id = UploadID(text) else {
      _ = try access.authorise(request, for: .publish)
      throw Problem(.unknownUpload, "There is no upload of this name.").closingConnection()
    }
    switch method {
    case .patch:
      let chunk = try UploadChunk(id, request, self)
      return laterForUploader(request) { body throws(Problem) in try await chunk.response(to: body) }
    case .get:
      let state = try UploadState(id, request, isTus: false, self)
      let detached = request.detached()
      return laterForUploader(request) { [self] _ throws(Problem) in
        kept.complete(ReadyAnswer(try state.report()), for: detached, token: nil)
      }
    case .delete:
      let state = try UploadState(id, request, isTus: true, self)
      return laterForUploader(request) { _ throws(Problem) in try state.end() }
    default:
      let state = try UploadState(id, request, isTus: true, self)
      return laterForUploader(request) { _ throws(Problem) in try await state.offset() }
    }
  }

  private func laterForUploader(
    _ request: HTTPRequest,
    _ work: @escaping @Sendable (any RequestBody) async throws(Problem) -> HTTPResponse
  ) -> HTTPReaction {
    let detached = request.detached()
    return .later { [self] body in
      do throws(Problem) { return try await work(body).forUploader } catch {
        return response(to: error, detached, isShared: false).forUploader
      }
    }
  }

  /// Tells the log of a version that is new, and forgets the answers that no longer hold.
  func notePublication(_ publication: Publication, _ request: HTTPRequest, by author: Author) {
    let release = publication.release
    noteChange(
      "a package was published", request,
      [
        "game": release.gameID.text, "version": release.version.text, "bytes": "\(release.size)",
        "sha256": release.sha256.hex, "token": author.name,
      ])
  }
}
