package import HTTPWire

/// What a service keeps ready for requests that come again, until what it tells of changes: answers, and packages that are
/// open. Any thread.
package final class KeptAnswers: Sendable {
  /// What is ready for a request.
  package enum Found {
    case nothing
    /// A package, or a part of one.
    case package(HTTPResponse)
    case answer(HTTPResponse)
    /// An answer that the request asks for compressed, which it was not yet.
    case uncompressed(ReadyAnswer)
  }

  private let answers: AnswerCache<ReadyAnswer>
  private let packages: AnswerCache<PackageAnswer>

  /// At most `count` answers, which take at most `bytes`, and `openPackages`, of which each has a descriptor. `dependsOnHost`: answers
  /// name the host they were asked under.
  package init(count: Int, bytes: Int, openPackages: Int, dependsOnHost: Bool) {
    answers = AnswerCache(entries: count, bytes: bytes, dependsOnHost: dependsOnHost)
    packages = AnswerCache(entries: openPackages, bytes: .max, dependsOnHost: false)
  }

  /// Forgets everything unless the catalogue is still in the state `token`; nil keeps nothing until one is known.
  package func refresh(token: Int64?) {
    answers.refresh(token: token)
    packages.refresh(token: token)
  }

  /// The state of the catalogue that answers are now kept of; take it before reading what one is made of.
  package var token: Int64? { answers.token }

  /// Another number whenever answers may have been forgotten.
  package var edition: Int { answers.edition }

  /// What is ready for a GET or HEAD.
  package func find(_ request: HTTPRequest) -> Found {
    if request.namesPackage {
      guard let package = packages.entry(for: request)?.value else { return .nothing }
      return .package(package.response(to: request).counted(as: package.kind))
    }
    guard let ready = answers.entry(for: request) else { return .nothing }
    if var response = ready.value.response(to: request) {
      response.kind = ready.value.kind
      return .answer(response)
    }
    // What is kept without its body is made again.
    return ready.value.canCompress ? .uncompressed(ready.value) : .nothing
  }

  /// Gives a package, and keeps it open if `token` is that of the catalogue it was read from.
  package func complete(_ package: PackageAnswer, for request: HTTPRequest, token: Int64?) -> HTTPResponse {
    packages.insert(package, weight: 0, for: request, token: token)
    return package.response(to: request).counted(as: package.kind)
  }

  /// Gives an answer in the form that the request asks for, and keeps it if `token` is that of the catalogue it was read
  /// from; nil keeps nothing. Compresses where that form is still to be made.
  package func complete(_ ready: ReadyAnswer, for request: HTTPRequest, token: Int64?) -> HTTPResponse {
    var ready = ready
    if ready.lacksForm(for: request) { ready.compress() }
    if token != nil {
      ready.kind = RouteKind(request).rawValue
      if let known = answers.entry(for: request) { ready.adopt(known.value) }
      // Of what is too large to keep, its heads are: they answer HEAD, and a 304 to whoever has it already.
      _ = ready.keepable.first { answers.insert($0, weight: $0.weight, for: request, token: token) }
    }
    // Without memory for the compressed form there is still the plain one.
    return ready.response(to: request) ?? ready.plain.ok
  }
}
