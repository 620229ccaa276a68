package import HTTPWire

extension Problem {
  /// The kinds of refusal there are: the last part of `type`.
  package enum Slug: String, CaseIterable, Sendable {
    case badRequest = "bad-request"
    case badField = "bad-field"
    case badMultipart = "bad-multipart"
    case badHost = "bad-host"
    case unauthorized
    case forbidden
    case notFound = "not-found"
    case unknownGame = "unknown-game"
    case unknownVersion = "unknown-version"
    case unknownChannel = "unknown-channel"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case versionExists = "version-exists"
    case versionBurnt = "version-burnt"
    case versionInUse = "version-in-use"
    case idCaseConflict = "id-case-conflict"
    case versionYanked = "version-yanked"
    case revisionGone = "revision-gone"
    case preconditionFailed = "precondition-failed"
    case packageTooLarge = "package-too-large"
    case bodyTooLarge = "body-too-large"
    case targetTooLong = "uri-too-long"
    case unsupportedMediaType = "unsupported-media-type"
    case rangeNotSatisfiable = "range-not-satisfiable"
    case expectationFailed = "expectation-failed"
    case checksumMismatch = "checksum-mismatch"
    case packageRefused = "package-refused"
    case unknownUpload = "unknown-upload"
    case uploadOffset = "upload-offset"
    case uploadLocked = "upload-locked"
    case uploadExpired = "upload-expired"
    case chunkMismatch = "chunk-mismatch"
    case tooManyRequests = "too-many-requests"
    case headTooLarge = "head-too-large"
    case `internal`
    case notImplemented = "not-implemented"
    case unavailable
    case versionNotSupported = "version-not-supported"
    case diskFloor = "disk-floor"

    /// The one that stands for a status the transport gave.
    package init(_ status: HTTPStatus) {
      self = Slug.transport.first { $0.status == status } ?? (status.code < 500 ? .badRequest : .internal)
    }

    private static let transport: [Slug] = [
      .badRequest, .notFound, .methodNotAllowed, .requestTimeout, .bodyTooLarge, .targetTooLong,
      .expectationFailed,
      .tooManyRequests, .headTooLarge, .notImplemented, .unavailable, .versionNotSupported, .diskFloor,
    ]

    package var status: HTTPStatus { text.status }
    /// The same for every problem of this kind.
    package var title: String { text.title }

    private var text: (status: HTTPStatus, title: String) {
      switch self {
      case .badRequest: (.badRequest, "The request cannot be read")
      case .badField: (.badRequest, "A field is missing or malformed")
      case .badMultipart: (.badRequest, "The form cannot be read")
      case .badHost: (.badRequest, "The Host field is not a host name")
      case .unauthorized: (.unauthorized, "A valid token is needed")
      case .forbidden: (.forbidden, "The token does not allow this")
      case .notFound: (.notFound, "There is nothing at this path")
      case .unknownGame: (.notFound, "No such game")
      case .unknownVersion: (.notFound, "No such version")
      case .unknownChannel: (.notFound, "No such channel")
      case .methodNotAllowed: (.methodNotAllowed, "The method does not apply here")
      case .requestTimeout: (.requestTimeout, "The request took too long")
      case .versionExists: (.conflict, "This version exists with other bytes")
      case .versionBurnt: (.conflict, "This version number was used before")
      case .versionInUse: (.conflict, "A channel points at this version")
      case .idCaseConflict: (.conflict, "A game of this name exists in other letters")
      case .versionYanked: (.gone, "This version was taken back")
      case .revisionGone: (.gone, "That revision cannot be continued from")
      case .preconditionFailed: (.preconditionFailed, "The precondition does not hold")
      case .packageTooLarge: (.contentTooLarge, "The package is too large")
      case .bodyTooLarge: (.contentTooLarge, "The body is too large")
      case .targetTooLong: (.uriTooLong, "The request target is too long")
      case .unsupportedMediaType: (.unsupportedMediaType, "The body is of another type than is read here")
      case .rangeNotSatisfiable: (.rangeNotSatisfiable, "The range lies outside the package")
      case .expectationFailed: (.expectationFailed, "The expectation cannot be met")
      case .checksumMismatch: (.unprocessableContent, "The bytes are not those the checksum names")
      case .packageRefused: (.unprocessableContent, "The package breaks a rule")
      case .unknownUpload: (.notFound, "No such upload")
      case .uploadOffset: (.conflict, "The upload goes on at another byte")
      case .uploadLocked: (.locked, "Another request holds this upload")
      case .uploadExpired: (.gone, "The upload was given up")
      case .chunkMismatch: (.checksumMismatch, "The bytes are not those the checksum names")
      case .tooManyRequests: (.tooManyRequests, "Too many requests of this kind")
      case .headTooLarge: (.headTooLarge, "The request head is too large")
      case .internal: (.internalServerError, "Internal error")
      case .notImplemented: (.notImplemented, "Not implemented")
      case .unavailable: (.serviceUnavailable, "Not available now")
      case .versionNotSupported: (.versionNotSupported, "This version of HTTP is not spoken here")
      case .diskFloor: (.insufficientStorage, "Too little room on the disk")
      }
    }
  }
}
