/// Findings as they come up, bounded: a hostile archive can break a rule a million times.
struct FindingList {
  /// How many findings of one rule are told one by one.
  static let perRule = 100

  private var findings: [Finding] = []
  private var counts: [Rule: Int] = [:]

  /// Nothing may be inflated after what was found.
  private(set) var forbidsReading = false

  mutating func add(_ finding: Finding) {
    if finding.severity == .error && finding.rule.forbidsReading { forbidsReading = true }
    counts[finding.rule, default: 0] += 1
    if counts[finding.rule, default: 0] <= Self.perRule { findings.append(finding) }
  }

  mutating func add(
    _ rule: Rule, path: String? = nil, severity: Finding.Severity? = nil, _ detail: @autoclosure () -> String
  ) {
    // The text is not made for those that are only counted.
    guard counts[rule, default: 0] < Self.perRule else {
      counts[rule, default: 0] += 1
      return
    }
    add(Finding(rule, path: path, severity: severity, detail()))
  }

  /// Everything found, and how much more of each rule there was.
  var all: [Finding] {
    let more = Rule.allCases.compactMap { rule -> Finding? in
      let count = counts[rule, default: 0]
      guard count > Self.perRule, let last = findings.last(where: { $0.rule == rule }) else { return nil }
      return Finding(rule, severity: last.severity, "and \(count - Self.perRule) more")
    }
    return findings + more
  }
}
