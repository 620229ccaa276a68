internal import HTTPClient

/// What a server calls one state of a file (RFC 9110 §8.8).
public struct Validators: Sendable, Hashable {
  /// `ETag`, as it was sent.
  public var entityTag: String?
  /// `Last-Modified`, as it was sent.
  public var lastModified: String?
  /// What may stand in `If-Range`; nil: the rest of a file cannot be asked for.
  public var rangeCondition: String?

  /// Of a server that says nothing.
  static let none = Validators(entityTag: nil, lastModified: nil, rangeCondition: nil)

  init(entityTag: String?, lastModified: String?, rangeCondition: String?) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.rangeCondition = rangeCondition
  }

  init(_ head: ResponseHead) {
    entityTag = head["ETag"]
    lastModified = head["Last-Modified"]
    // RFC 9110 §13.1.5: a strong tag; a date only without any tag, and only one that is strong.
    if let entityTag {
      rangeCondition = Self.isStrong(entityTag) ? entityTag : nil
    } else if let modified = head.date("Last-Modified"), let date = head.date("Date"), date > modified {
      // RFC 9110 §8.8.2.2: older than the answer, so that it cannot have changed twice in that second.
      rangeCondition = lastModified
    }
  }

  /// RFC 9110 §8.8.3: in quotes, and not weak.
  static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
  }

  /// Asks for the file only if it is another one by now; empty when the server gave nothing to ask with.
  var condition: [RequestField] {
    // RFC 9110 §13.1.3: the date is ignored beside a tag.
    if let entityTag { return [RequestField("If-None-Match", entityTag)].compactMap { $0 } }
    return [lastModified.flatMap { RequestField("If-Modified-Since", $0) }].compactMap { $0 }
  }
}
