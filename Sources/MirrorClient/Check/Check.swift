internal import DepotModel

/// Asks the server what there is, or what changed, and reads the answer to its end.
struct Check: Sendable {
  /// Pages beyond which a listing is taken for endless.
  static let maximumPages = 10_000
  /// Games beyond which an answer is not one a mirror can hold.
  static let maximumGames = 1_000_000

  let source: any DepotSource
  let channel: ChannelName
  let serverName: String

  /// One answer, all pages of it.
  struct Answer: Sendable {
    var isComplete: Bool
    var point: CataloguePoint
    var offered: [Release] = []
    var removed: [GameID] = []
    var unreadable: [UnreadableGame] = []
  }

  /// What changed since `known`, or everything when that is nil or the server cannot tell.
  func run(since known: CataloguePoint?) async throws(MirrorError) -> Answer {
    if let known, let answer = try await changes(since: known) { return answer }
    return try await listing()
  }

  private func listing() async throws(MirrorError) -> Answer {
    var cursors = CursorGuard(serverName: serverName)
    var cursor: String?
    var answer: Answer?
    while true {
      let page = try await source.listing(channel: channel, after: cursor)
      // What is published while pages are read is newer than the first page's revision: the next sync hears of it.
      var soFar =
        answer
        ?? Answer(isComplete: true, point: CataloguePoint(catalogue: page.catalogue, revision: page.revision))
      guard page.catalogue == soFar.point.catalogue else {
        throw .badAnswer(url: serverName, reason: "the catalogue changed between two pages")
      }
      try add(page.games, to: &soFar)
      answer = soFar
      guard let next = page.next else { return soFar }
      try cursors.advance(to: next, from: page.games.count)
      cursor = next
    }
  }

  private func changes(since known: CataloguePoint) async throws(MirrorError) -> Answer? {
    var cursors = CursorGuard(serverName: serverName)
    var cursor: String?
    var answer: Answer?
    while true {
      guard case .page(let page) = try await source.changes(since: known, channel: channel, after: cursor)
      else {
        return nil
      }
      // A revision that went back without a 410 is a catalogue that was put back: nothing it says since is of use.
      guard page.revision >= known.revision else { return nil }
      var soFar =
        answer
        ?? Answer(
          isComplete: false, point: CataloguePoint(catalogue: known.catalogue, revision: page.revision))
      soFar.removed += page.removed
      try add(page.changed, to: &soFar)
      answer = soFar
      guard let next = page.next else { return soFar }
      try cursors.advance(to: next, from: page.changed.count + page.removed.count)
      cursor = next
    }
  }

  private func add(_ games: [OfferedGame], to answer: inout Answer) throws(MirrorError) {
    for game in games {
      switch game {
      case .success(let release): answer.offered.append(release)
      case .failure(let unreadable): answer.unreadable.append(unreadable)
      }
    }
    guard answer.offered.count + answer.unreadable.count + answer.removed.count <= Self.maximumGames else {
      throw .badAnswer(url: serverName, reason: "more than \(Self.maximumGames) games")
    }
  }
}

/// Notices a server whose pages never end.
private struct CursorGuard {
  let serverName: String
  private var seen: Set<String> = []

  init(serverName: String) { self.serverName = serverName }

  /// `count`: what the page told that names `cursor` as the next one.
  mutating func advance(to cursor: String, from count: Int) throws(MirrorError) {
    // A depot names a next page only where one is full: pages of nothing are how an endless listing costs it least.
    guard count > 0 else {
      throw .badAnswer(url: serverName, reason: "a page without games names a next one")
    }
    guard seen.insert(cursor).inserted else {
      throw .badAnswer(url: serverName, reason: "its pages run in a circle")
    }
    guard seen.count < Check.maximumPages else {
      throw .badAnswer(url: serverName, reason: "more than \(Check.maximumPages) pages")
    }
  }
}
