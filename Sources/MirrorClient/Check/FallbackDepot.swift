internal import DepotModel
internal import Synchronization

/// Several depots that offer the same, asked in order until one answers.
///
/// The first that tells what there is answers for the run; of one package any may tell, since an answer must speak of exactly
/// the bytes that were named. One that refuses the token ends the run: somebody must hear of it.
final class FallbackDepot: DepotSource {
  private let sources: [any DepotSource]
  /// The one that told what there is.
  private let chosen = Mutex(0)

  /// At least one.
  init(_ sources: [any DepotSource]) { self.sources = sources }

  var name: String { sources[index].name }

  /// Which of them told what there is.
  var index: Int { chosen.withLock { $0 } }

  func listing(channel: ChannelName, after cursor: String?) async throws(MirrorError) -> ListingPage {
    // The pages of one answer are of one server.
    if cursor != nil { return try await sources[index].listing(channel: channel, after: cursor) }
    return try await first(from: index) { (source, _) async throws(MirrorError) in
      try await source.listing(channel: channel, after: nil)
    }
  }

  func changes(
    since point: CataloguePoint, channel: ChannelName, after cursor: String?
  ) async throws(MirrorError) -> ChangesAnswer {
    if cursor != nil {
      return try await sources[index].changes(since: point, channel: channel, after: cursor)
    }
    return try await first(from: 0) { (source, index) async throws(MirrorError) in
      let answer = try await source.changes(since: point, channel: channel, after: nil)
      // Another that lags behind would bring back what was replaced.
      if index > 0, case .page(let page) = answer, page.revision < point.revision {
        throw MirrorError.unreachable(
          url: source.name, reason: "it is behind: revision \(page.revision), \(point.revision) was seen")
      }
      return answer
    }
  }

  func manifest(of release: Release) async throws(MirrorError) -> UnpackingFacts {
    try await any { (source) async throws(MirrorError) in try await source.manifest(of: release) }
  }

  func delta(of release: Release) async throws(MirrorError) -> DeltaOffer? {
    try await any { (source) async throws(MirrorError) in try await source.delta(of: release) }
  }

  func blocks(of release: Release) async throws(MirrorError) -> PackageBlocks? {
    try await any { (source) async throws(MirrorError) in try await source.blocks(of: release) }
  }

  /// The first answer, from the source at `start` on; that source is the chosen one then. When none answers, what the
  /// first said.
  private func first<Answer: Sendable>(
    from start: Int, _ ask: (any DepotSource, Int) async throws(MirrorError) -> Answer
  ) async throws(MirrorError) -> Answer {
    var failure: MirrorError?
    for index in start..<sources.count {
      do throws(MirrorError) {
        let answer = try await ask(sources[index], index)
        chosen.withLock { $0 = index }
        return answer
      } catch {
        guard error.isOfOneServer else { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? .cancelled
  }

  /// The answer of the chosen one, else of any other.
  private func any<Answer: Sendable>(
    _ ask: (any DepotSource) async throws(MirrorError) -> Answer
  ) async throws(MirrorError) -> Answer {
    let chosen = index
    var failure: MirrorError?
    for index in [chosen] + sources.indices.filter({ $0 != chosen }) {
      do throws(MirrorError) { return try await ask(sources[index]) } catch {
        guard error.isOfOneServer else { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? .cancelled
  }
}

extension MirrorError {
  /// Another server may do better.
  var isOfOneServer: Bool {
    switch self {
    case .unreachable, .badAnswer, .download: true
    default: false
    }
  }
}
