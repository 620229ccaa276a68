internal import DepotModel
internal import HTTPClient

/// A range of a package that is asked for, and what an answer to it must say.
struct PackageQuestion: Sendable {
  let source: PackageSource
  /// The first byte asked for.
  let start: Int64
  /// Past the last one; nil: everything from `start` on.
  let end: Int64?

  /// The strong entity tag a depot gives a package: its SHA-256.
  static func entityTag(of source: PackageSource) -> String { "\"\(source.sha256.hex)\"" }

  /// Whether a range is asked for at all.
  var isRange: Bool { start > 0 || end != nil }

  /// What a request for it says. For the rest, `If-Range` makes a 200 of what is no longer the same thing (RFC 9110
  /// §13.1.5); for a part, `If-Match` makes a 412 of it (§13.1.1), which costs no body.
  var fields: [RequestField] {
    let tag = Self.entityTag(of: source)
    let fields =
      if let end {
        [RequestField("Range", "bytes=\(start)-\(end - 1)"), RequestField("If-Match", tag)]
      } else if start > 0 {
        [RequestField("Range", "bytes=\(start)-"), RequestField("If-Range", tag)]
      } else {
        [RequestField?]()
      }
    return fields.compactMap { $0 }
  }

  /// What is wrong with a 206; nil when its body is what was asked for, or a beginning of it (RFC 9110 §15.3.7: a server
  /// may send less), of a whole as long as ours.
  func flaw(of head: ResponseHead) -> PackageSink.Refusal? {
    guard isRange else { return .final(.badAnswer("status 206 to a request without Range")) }
    guard let answer = head.contentRange, let range = answer.range else {
      return .unusableRange(.badAnswer("status 206 without a usable Content-Range"))
    }
    guard range.lowerBound == start else {
      return .unusableRange(
        .badAnswer("asked for bytes from \(start), got them from \(range.lowerBound)"))
    }
    guard range.upperBound < end ?? .max else {
      return .unusableRange(
        .badAnswer("asked for bytes up to \((end ?? 0) - 1), got them up to \(range.upperBound)"))
    }
    guard answer.total == source.size else {
      return .unusableRange(.sizeMismatch(expected: source.size, actual: answer.total ?? -1))
    }
    // A server that ignores the precondition still tells by its tag that the bytes are others.
    if let tag = head["ETag"], !tag.hasPrefix("W/"), tag != Self.entityTag(of: source) {
      return .unusableRange(
        .badAnswer("status 206 with ETag \(tag), asked for \(Self.entityTag(of: source))"))
    }
    if let length = head.contentLength, length != Int64(range.count) {
      return .unusableRange(.badAnswer("Content-Length \(length) disagrees with Content-Range"))
    }
    return nil
  }
}
