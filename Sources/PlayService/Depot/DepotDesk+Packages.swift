internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// Answers that give packages, or tell what is in them.
extension DepotDesk {
  func package(_ target: PackageTarget, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let token = kept.token
    let (_, version) = try offers.version(target)
    let game = version.game
    let facts = PackageAnswer.Facts(
      id: game.gameId, version: game.h5Version, md5: game.h5Md5, sha256: game.h5Sha256)
    let answer = PackageAnswer(
      facts, SentFile(try offers.package(of: version)), size: game.h5Size,
      lastModified: target.version == nil ? version.movedAt : game.publishedAt,
      isImmutable: target.isImmutable)
    return kept.complete(answer, for: request, token: token)
  }

  func manifest(_ target: PackageTarget, _ request: HTTPRequest) async throws(Problem) -> Answer {
    let base = try BaseURL(for: request, publicURL)
    let (state, version) = try offers.version(target)
    let contents = try await packages.contents(of: version, try offers.package(of: version))
    let manifest = Manifest(
      game: version.told(state, base), root: contents.root, namesEncoding: contents.namesEncoding,
      unpackedSize: contents.unpackedSize, blockSize: Manifest.packageBlockSize, blocks: contents.blocks,
      files: contents.files, ignored: contents.ignored)
    return try Answer(json: manifest, cacheControl: base.cacheControl)
  }

  func delta(_ target: PackageTarget, _ request: HTTPRequest) async throws(Problem) -> Answer {
    let base = try BaseURL(for: request, publicURL)
    let (state, version) = try offers.version(target)
    let summary = try await packages.summary(of: version, try offers.package(of: version))
    return try Answer(
      json: DeltaDescription(version.told(state, base), summary.unpacked, index: summary.index, base),
      cacheControl: base.cacheControl)
  }

  func part(
    _ part: IndexPart, _ target: PackageTarget, _ request: HTTPRequest
  ) async throws(Problem) -> HTTPResponse {
    let (_, version) = try offers.version(target)
    let index = try await packages.index(of: version, try offers.package(of: version))
    let bytes: ImmutableBytes? =
      switch part {
      case .index: index.map { ImmutableBytes($0.bytes, sha256: $0.sha256) }
      case .blocks: index.flatMap { ImmutableBytes($0.blockSums) }
      }
    guard let bytes else { throw .noIndexPart(part, target.id, version.game.h5Version) }
    return try bytes.response(to: request)
  }
}
