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
    let token = kept.token
    let ready = ReadyAnswer(try make())
    return answer(request, from: ready, token: token)
  }

  /// The same on a worker. Of many who ask at once, as after a publish, those who had to wait for a worker get what the
  /// first ones' workers made.
  func laterCached(
    _ request: HTTPRequest, _ make: @escaping @Sendable () throws(Problem) -> Answer
  ) -> HTTPReaction {
    let detached = request.detached()
    return later(request, isShared: true) { [self] _ throws(Problem) in
      if case .answer(let response) = kept.find(detached) { return response }
      let token = kept.token
      return kept.complete(ReadyAnswer(try make()), for: detached, token: token)
    }
  }

  /// Makes an answer on a worker for its asker alone: it is not kept.
  func laterOwn(
    _ request: HTTPRequest, _ make: @escaping @Sendable () throws(Problem) -> Answer
  ) -> HTTPReaction {
    let detached = request.detached()
    return later(request, isShared: false) { [self] _ throws(Problem) in
      kept.complete(ReadyAnswer(try make()), for: detached, token: nil)
    }
  }

  /// Tells what changed as soon as something does, or that nothing did when the time asked for is over.
  func laterChanged(_ request: HTTPRequest, _ listing: GameListing) -> HTTPReaction {
    let detached = request.detached()
    let deadline = SystemClock.monotonicMilliseconds + Int64(listing.wait) * 1000
    return later(request, isShared: true) { [self] _ throws(Problem) in
      let found = try await waiters.firstChange(until: deadline) { () throws(Problem) in
        try depot.reading { catalogue throws(CatalogueError) in try catalogue.changeToken() }
      } read: { () throws(Problem) in
        let found = try listing.changesNow()
        return ChangeWaiters.Reading(answer: found.answer, isEmpty: found.isEmpty)
      }
      return kept.complete(ReadyAnswer(found.answer), for: detached, token: found.token)
    }
  }

  /// Answers with what is ready, in the form that the request asks for. It is kept if `token` is that of the catalogue it
  /// was read from; nil keeps nothing.
  func answer(_ request: HTTPRequest, from ready: ReadyAnswer, token: Int64?) -> HTTPReaction {
    guard ready.lacksForm(for: request), ready.plain.ok.body.count > Self.compressedInline else {
      return .respond(kept.complete(ready, for: request, token: token))
    }
    let detached = request.detached()
    return later(request, isShared: true) { [self] _ throws(Problem) in
      kept.complete(ready, for: detached, token: token)
    }
  }
}
