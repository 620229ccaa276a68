internal import DepotModel
public import Platform
internal import ReadAPI
public import ZipArchive

/// What a publish would find in a package, without publishing it.
public struct Inspection: Sendable {
  /// In the order of the checks, warnings and notices included.
  public let findings: [Finding]
  /// It could be published.
  public let isAccepted: Bool
  private let plan: PackagePlan

  /// Applies every rule, contents included, as a publish does. Throws the system's failures only.
  public init(of file: File, options: PackageOptions) throws(ZipError) {
    let reader = try PackageReader(file: file, options: options)
    // The contents are read even when the plan is refused, so that every finding is told at once.
    let contents = try reader.verifyContents(digests: false)
    plan = reader.plan
    findings = plan.findings + contents.findings
    isAccepted = plan.isAccepted && contents.isAccepted
  }

  /// One JSON object: `accepted`, `findings`, `encoding`, `entries`, `unpackedSize`.
  public var json: [UInt8] {
    let report = Report(
      accepted: isAccepted, findings: findings.map { FindingReport($0) },
      encoding: plan.namesEncoding.rawValue,
      entries: plan.entryCount, unpackedSize: plan.unpackedSize)
    // Encoding strings, numbers and booleans cannot fail.
    return (try? JSON.encode(report)) ?? []
  }

  private struct Report: Encodable {
    let accepted: Bool
    let findings: [FindingReport]
    let encoding: String
    let entries: Int
    let unpackedSize: Int64
  }

  /// For a person: the verdict, then for each rule what to do about it and where it is broken; errors first.
  public func text(named name: String) -> String {
    var text = "\(name): \(isAccepted ? "accepted" : "refused")"
    text +=
      ", \(plan.entryCount) entries, \(plan.unpackedSize) bytes unpacked, names in \(plan.namesEncoding.rawValue)\n"
    for severity in [Finding.Severity.error, .warning, .notice] {
      for rule in Rule.allCases {
        let own = findings.filter { $0.severity == severity && $0.rule == rule }
        guard !own.isEmpty else { continue }
        text += "\n\(severity.rawValue) \(rule.rawValue): \(rule.advice).\n"
        for finding in own { text += "  \(finding.path.map { "\($0): " } ?? "")\(finding.detail)\n" }
      }
    }
    return text
  }
}
