internal import Catalogue
internal import HTTPWire
internal import Platform
internal import ReadAPI
internal import ZipArchive

/// How answers are made, kept, and given in the form a client takes.
extension DepotHandler {
  /// Bytes of a body that a loop compresses itself, in less than half a millisecond; more are a worker's.
  private static let compressedInline = 16 << 10

  /// Makes an answer and keeps it.
  func cached(
    _ request: HTTPRequest, _ make: () throws(Problem) -> Answer
  ) throws(Problem) -> HTTPReaction {
    let token = answers.token
    let ready = ReadyAnswer(try make())
    return answer(request, from: ready, token: token)
  }

  /// The same on a worker.
  func laterCached(
    _ request: HTTPRequest, _ make: @escaping @Sendable () throws(Problem) -> Answer
  ) -> HTTPReaction {
    let kept = request.detached()
    return later(request, isShared: true) { [self] _ throws(Problem) in
      let token = answers.token
      return complete(ReadyAnswer(try make()), for: kept, token: token)
    }
  }

  /// Tells what changed as soon as something does, or that nothing did when the time asked for is over.
  func laterChanged(_ request: HTTPRequest, _ listing: GameListing) -> HTTPReaction {
    let kept = request.detached()
    let deadline = SystemClock.monotonicMilliseconds + Int64(listing.wait) * 1000
    return later(request, isShared: true) { [self] _ throws(Problem) in
      while true {
        // Taken before the read: a change after it ends the wait.
        let token = try depot.reading { catalogue throws(CatalogueError) in try catalogue.changeToken() }
        let found = try listing.changesNow()
        guard found.isEmpty else { return complete(ReadyAnswer(found.answer), for: kept, token: token) }
        // Kept ready, this would be the answer to whoever asks next, at once.
        guard case .changed = await waiters.wait(token: token, until: deadline), !waiters.isClosed else {
          return complete(ReadyAnswer(found.answer), for: kept, token: nil)
        }
      }
    }
  }

  /// Answers with what is ready, in the form that the request asks for. It is kept if `token` is that of the catalogue it
  /// was read from; nil keeps nothing.
  func answer(_ request: HTTPRequest, from ready: ReadyAnswer, token: Int64?) -> HTTPReaction {
    guard ready.lacksForm(for: request), ready.plain.ok.body.count > Self.compressedInline else {
      return .respond(complete(ready, for: request, token: token))
    }
    let kept = request.detached()
    return later(request, isShared: true) { [self] _ throws(Problem) in
      complete(ready, for: kept, token: token)
    }
  }

  private func complete(_ ready: ReadyAnswer, for request: HTTPRequest, token: Int64?) -> HTTPResponse {
    var ready = ready
    if ready.lacksForm(for: request) { ready.compress() }
    if token != nil {
      if let known = answers.entry(for: request) { ready.adopt(known.value) }
      // Of what is too large to keep, its heads are: they answer HEAD, and a 304 to whoever has it already.
      _ = ready.keepable.first { answers.insert($0, weight: $0.weight, for: request, token: token) }
    }
    // Without memory for the compressed form there is still the plain one.
    return ready.response(to: request) ?? ready.plain.ok
  }
}
