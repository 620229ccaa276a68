internal import DepotModel
internal import HTTPWire
internal import ReadAPI

/// Answers that tell of games.
extension DepotDesk {
  func listing(_ question: ListingQuestion) throws(Problem) -> ChangeWaiters.Reading {
    guard let since = question.since else {
      return ChangeWaiters.Reading(answer: try page(question), isEmpty: false)
    }
    return try changes(question, since)
  }

  private func page(_ question: ListingQuestion) throws(Problem) -> Answer {
    let after = try question.afterGame()
    var found = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in
      try catalogue.games(after: after, limit: question.limit, matching: question.matching)
    }
    let state = found.state
    if question.channel != state.channel { found.games = [] }
    var next: String?
    if found.games.count > question.limit {
      found.games.removeLast(found.games.count - question.limit)
      next = found.games.last?.game.gameId.text
    }
    return try question.page(
      of: found.games.map { $0.told(state, question.base) }, catalogue: state.catalogue,
      revision: state.revision, next: next)
  }

  private func changes(
    _ question: ListingQuestion, _ since: ListingQuestion.Since
  ) throws(Problem) -> ChangeWaiters.Reading {
    let now = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in try catalogue.state() }
    let revision = try since.revision(in: now.catalogue)
    guard revision <= now.revision else {
      throw Problem(
        .revisionGone, "That revision is ahead of this mirror: list everything once, then go on from there.")
    }
    var place = ChangePlace(revision: revision + 1, game: "")
    if let after = question.after {
      guard let cursor = ChangePlace(after) else { throw ListingQuestion.badCursor }
      if cursor.revision > revision { place = cursor }
    }
    var found = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in
      try catalogue.changes(after: place, limit: question.limit)
    }
    let state = found.state
    // Only if the record was replaced between the two looks at it.
    guard state.catalogue == now.catalogue else {
      _ = try since.revision(in: state.catalogue)
      return ChangeWaiters.Reading(answer: try page(question), isEmpty: false)
    }
    if question.channel != state.channel { found.changes = [] }
    var next: String?
    if found.changes.count > question.limit {
      found.changes.removeLast(found.changes.count - question.limit)
      next = found.changes.last?.place.text
    }
    let answer = try question.changes(
      found.changes.compactMap { $0.version?.told(state, question.base) },
      removed: found.changes.filter { $0.version == nil }.map(\.id), revision: state.revision, next: next)
    return ChangeWaiters.Reading(answer: answer, isEmpty: found.changes.isEmpty)
  }

  func detail(_ id: GameID, _ request: HTTPRequest) throws(Problem) -> Answer {
    let question = try DetailQuestion(request, publicURL)
    let (state, versions) = try offers.game(id)
    guard question.channel == state.channel else { throw .unknownChannel(id, question.channel) }
    let game = versions.current.told(state, question.base)
    let channel = ListedChannel(
      name: state.channel, version: game.h5Version, rollout: 100, mandatory: game.mandatory,
      minHostVersion: game.minHostVersion, movedAt: versions.current.movedAt)
    return try question.answer(game, channels: [channel], versionCount: versions.listed.count)
  }

  func history(_ id: GameID, _ request: HTTPRequest) throws(Problem) -> Answer {
    let question = try HistoryQuestion(id, request, publicURL)
    let (state, versions) = try offers.game(id)
    var listed = versions.listed[...]
    if let after = question.after {
      guard let cursor = HistoryPlace(after) else { throw ListingQuestion.badCursor }
      listed = listed.drop { GameVersions.place(of: $0) >= cursor }
    }
    let page = listed.prefix(question.limit)
    let next = listed.count > page.count ? page.last.map { GameVersions.place(of: $0).text } : nil
    return try question.page(
      of: page.map { ListedVersion($0.told(state, question.base), state: Self.published) }, next: next)
  }

  func listed(_ id: GameID, _ version: H5Version, _ request: HTTPRequest) throws(Problem) -> Answer {
    let base = try BaseURL(for: request, publicURL)
    let (state, version) = try offers.version(PackageTarget(id, version, request))
    return try Answer(
      json: ListedVersion(version.told(state, base), state: Self.published), cacheControl: base.cacheControl)
  }

  /// What was taken back is not handed on: a mirror learns that its depot points elsewhere.
  private static let published = "published"

  func check(_ id: GameID, _ request: HTTPRequest) throws(Problem) -> Answer {
    let question = try CheckQuestion(id, request, publicURL)
    let found = try offers.reading { (catalogue) throws(MirrorCatalogueFailure) in
      try catalogue.versions(of: [id])
    }
    let verdict = try Self.verdict(
      of: question.installed, found.games[id], in: question.channel, found.state, question.base)
    guard let verdict else { throw .unknownChannel(id, question.channel) }
    return try question.answer(verdict.reason, verdict.game)
  }
}
