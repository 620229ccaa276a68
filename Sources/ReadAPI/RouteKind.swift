package import HTTPWire

/// What a request was for, in as many words as a metric may have labels: a route, whatever game it names.
package enum RouteKind: UInt8, CaseIterable, Sendable {
  case other, games, batchCheck, game, history, check, manifest, package, version, versionManifest,
    versionPackage
  case delta, index, blocks, patch, channel, audit, health, readiness, metrics, openAPI
  case uploads, upload, console

  /// As openapi.yaml writes the path.
  package var template: String {
    switch self {
    case .other: "other"
    case .games: "/games"
    case .batchCheck: "/games/check"
    case .game: "/games/{id}"
    case .history: "/games/{id}/versions"
    case .check: "/games/{id}/check"
    case .manifest: "/games/{id}/manifest"
    case .package: "/games/{id}/package.zip"
    case .version: "/games/{id}/versions/{v}"
    case .versionManifest: "/games/{id}/versions/{v}/manifest"
    case .versionPackage: "/games/{id}/versions/{v}/package.zip"
    case .delta: "/games/{id}/versions/{v}/delta.json"
    case .index: "/games/{id}/versions/{v}/index"
    case .blocks: "/games/{id}/versions/{v}/blocks"
    case .patch: "/games/{id}/versions/{v}/patches/{from}"
    case .channel: "/games/{id}/channels/{name}"
    case .audit: "/audit"
    case .health: "/healthz"
    case .readiness: "/readyz"
    case .metrics: "/metrics"
    case .openAPI: "/openapi.yaml"
    case .uploads: "/uploads"
    case .upload: "/uploads/{id}"
    case .console: "/console"
    }
  }

  /// Reads the path; `other` for what no route has.
  package init(_ request: HTTPRequest) {
    guard let path = request.pathSegments, let route = try? Route(path.segments) else {
      self = .other
      return
    }
    switch route {
    case .games: self = .games
    case .batchCheck: self = .batchCheck
    case .game: self = .game
    case .history: self = .history
    case .check: self = .check
    case .manifest: self = .manifest
    case .package: self = .package
    case .version: self = .version
    case .versionManifest: self = .versionManifest
    case .versionPackage: self = .versionPackage
    case .delta: self = .delta
    case .index: self = .index
    case .blocks: self = .blocks
    case .patch: self = .patch
    case .channel: self = .channel
    case .audit: self = .audit
    case .health: self = .health
    case .readiness: self = .readiness
    case .metrics: self = .metrics
    case .openAPI: self = .openAPI
    case .uploads: self = .uploads
    case .upload: self = .upload
    case .console: self = .console
    }
  }
}

extension HTTPResponse {
  /// The same, counted as that unless it is counted as something already.
  package func counted(as kind: @autoclosure () -> RouteKind) -> HTTPResponse {
    guard self.kind == 0 else { return self }
    var response = self
    response.kind = kind().rawValue
    return response
  }
}
