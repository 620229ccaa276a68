/// One thing a zip does that a rule speaks of, with the evidence.
public struct Finding: Sendable, Hashable {
  /// What follows from a finding.
  public enum Severity: String, Sendable, Hashable {
    /// The package is refused.
    case error
    /// Cleaned or tolerated, and worth telling.
    case warning
    /// For information.
    case notice
  }

  /// Which rule.
  public let rule: Rule
  /// What follows.
  public let severity: Severity
  /// The entry it is about, control characters escaped; nil when it is about the whole archive.
  public let path: String?
  /// What was found: expected and actual values, offsets in bytes from the start of the file.
  public let detail: String

  /// A finding of `rule`, of that rule's severity unless told otherwise.
  public init(_ rule: Rule, path: String? = nil, severity: Severity? = nil, _ detail: String) {
    self.rule = rule
    self.severity = severity ?? rule.severity
    self.path = path.map(\.printable)
    self.detail = detail.printable
  }
}

extension Finding: CustomStringConvertible {
  /// `error duplicate js/a.js: …`, one line.
  public var description: String {
    "\(severity.rawValue) \(rule.rawValue)\(path.map { " \($0)" } ?? ""): \(detail)"
  }
}

extension String {
  /// On one line and without anything that could steer a terminal or a log.
  var printable: String {
    let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
