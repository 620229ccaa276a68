/// What a request's conditions make of the representation it would get (RFC 9110 §13).
public enum Preconditions {
  /// The outcome of all of them together.
  public enum Verdict: Hashable, Sendable {
    /// Answer as if there were no condition; a Range field counts only if `rangeAllowed`.
    case proceed(rangeAllowed: Bool)
    /// Answer 304.
    case notModified
    /// Answer 412.
    case preconditionFailed
  }

  /// Judges a request for a representation that exists, in the order of RFC 9110 §13.2.2.
  ///
  /// `lastModified` is in seconds since 1970. It is a strong validator only if the representation cannot have changed
  /// twice within that second (§8.8.2.2): `isDateStrong` says so. A date in If-Range never holds otherwise.
  public static func evaluate(
    _ request: HTTPRequest, etag: EntityTag?, lastModified: Int64?, isDateStrong: Bool
  ) -> Verdict {
    let isRead = request.method == .get || request.method == .head

    if let list = request.list(of: .ifMatch) {
      guard EntityTagList.matches(list.span, etag, strongly: true) else { return .preconditionFailed }
    } else if let lastModified, let date = date(request, .ifUnmodifiedSince, near: lastModified) {
      guard lastModified <= date else { return .preconditionFailed }
    }

    if request.has(.ifNoneMatch) {
      if noneMatchNames(etag, request) { return isRead ? .notModified : .preconditionFailed }
    } else if isRead, let lastModified, let date = date(request, .ifModifiedSince, near: lastModified) {
      guard lastModified > date else { return .notModified }
    }

    return .proceed(rangeAllowed: allowsRange(request, etag, isDateStrong ? lastModified : nil))
  }

  /// §13.1.2. Nearly always it is one tag, and the right one.
  private static func noneMatchNames(_ etag: EntityTag?, _ request: HTTPRequest) -> Bool {
    let slice = request.slice(of: .ifNoneMatch)
    if let etag, slice.count == etag.wire.count, !request.isRepeated(.ifNoneMatch) {
      if request.bytes.span.holds(etag.wire.span, at: Int(slice.start)) { return true }
    }
    guard let list = request.list(of: .ifNoneMatch) else { return false }
    return EntityTagList.matches(list.span, etag, strongly: false)
  }

  /// §13.1.5, and §14.2: GET is the only method ranges are defined for.
  private static func allowsRange(_ request: HTTPRequest, _ etag: EntityTag?, _ strongDate: Int64?) -> Bool {
    guard request.method == .get else { return false }
    let slice = request.slice(of: .ifRange)
    guard !slice.isAbsent, request.has(.range) else { return true }
    guard !request.isRepeated(.ifRange) else { return false }
    if let member = EntityTag.read(request.bytes.span, in: slice.range) {
      guard member.quoted.upperBound == slice.range.upperBound, let etag else { return false }
      return !member.isWeak && !etag.isWeak && etag.hasSameOpaque(request.bytes.span, quoted: member.quoted)
    }
    guard let strongDate else { return false }
    return date(request, .ifRange, near: strongDate) == strongDate
  }

  /// §13.1.3, §13.1.4: a field that is no date, or more than one, is as good as absent.
  private static func date(_ request: HTTPRequest, _ field: KnownField, near reference: Int64) -> Int64? {
    let slice = request.slice(of: field)
    guard !slice.isAbsent, !request.isRepeated(field) else { return nil }
    return HTTPDate(request.bytes.span, in: slice.range, near: reference)?.seconds
  }
}
