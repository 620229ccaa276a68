/// The request fields this server acts on: the parser notes where each stands, so that asking for one costs no search.
public enum KnownField: Int, CaseIterable, Sendable {
  case host, connection, contentLength, transferEncoding, expect, contentType, contentMD5, authorization
  case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range
  case acceptEncoding, origin, accessControlRequestMethod, requestID, userAgent, forwarded, forwardedFor,
    forwardedProto
  case forwardedHost, referer

  /// The name in lower case, as a lookup compares it.
  public var name: String {
    switch self {
    case .host: "host"
    case .connection: "connection"
    case .contentLength: "content-length"
    case .transferEncoding: "transfer-encoding"
    case .expect: "expect"
    case .contentType: "content-type"
    case .contentMD5: "content-md5"
    case .authorization: "authorization"
    case .ifMatch: "if-match"
    case .ifNoneMatch: "if-none-match"
    case .ifModifiedSince: "if-modified-since"
    case .ifUnmodifiedSince: "if-unmodified-since"
    case .ifRange: "if-range"
    case .range: "range"
    case .acceptEncoding: "accept-encoding"
    case .origin: "origin"
    case .accessControlRequestMethod: "access-control-request-method"
    case .requestID: "x-request-id"
    case .userAgent: "user-agent"
    case .forwarded: "forwarded"
    case .forwardedFor: "x-forwarded-for"
    case .forwardedProto: "x-forwarded-proto"
    case .forwardedHost: "x-forwarded-host"
    case .referer: "referer"
    }
  }
}
