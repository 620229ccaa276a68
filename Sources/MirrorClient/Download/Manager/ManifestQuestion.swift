internal import HTTPClient

/// Asks a depot for the digests of a package's blocks, which stand in the manifest beside it.
struct ManifestQuestion: Sendable {
  /// What the URL of every package ends with, and that of its manifest (interface: HTTP API).
  private static let (package, manifest) = ("/package.zip", "/manifest")

  let engine: TransferEngine
  let depot: WebURL
  let token: BearerToken?

  /// Nil when the URL is none of a depot's, when the depot does not tell, or when what it tells is of another package: then
  /// the package is fetched whole.
  func blocks(of source: PackageSource) async -> PackageBlocks? {
    guard source.url.hasSuffix(Self.package),
      let url = WebURL(source.url.dropLast(Self.package.count) + Self.manifest)
    else { return nil }
    // Nobody else is told the token.
    let request = FetchRequest(.get, url, authorization: url.origin == depot.origin ? token : nil)
    guard let answer = try? await engine.fetch(request, limit: HTTPDepot.manifestLimit), answer.status == 200
    else { return nil }
    return try? DepotAnswers.blocks(answer.body, of: source)
  }
}
