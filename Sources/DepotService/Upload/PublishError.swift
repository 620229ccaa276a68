public import Catalogue
public import DepotModel
public import Platform
internal import ReadAPI
public import ZipArchive

/// Why a package was not published. Nothing of it is visible, and what was written is gone or swept at the next start.
public enum PublishError: Error, Sendable {
  case field(FieldError)
  /// The bytes hash to something else than their publisher says.
  case checksum(expected: MD5Digest, actual: MD5Digest)
  /// The zip breaks rules; warnings are listed too.
  case refused([Finding])
  case tooLarge(limit: Int64)
  /// Bytes that must be free, and those that are.
  case diskFloor(needed: Int64, available: Int64)
  /// The version exists with other bytes.
  case versionExists(MD5Digest)
  /// The version number was used for other bytes before the game was removed.
  case versionBurnt(MD5Digest)
  /// A game whose id differs only by case exists.
  case idCaseConflict(GameID)
  /// The depot was told to give up (`Depot.giveUpChecks`).
  case stopping
  case system(SystemError)
  case catalogue(CatalogueError)
}

extension PublishError {
  /// The same failure in the words of publishing.
  init(_ error: CatalogueError) {
    switch error {
    case .versionExists(let there): self = .versionExists(there)
    case .versionBurnt(let there): self = .versionBurnt(there)
    case .idCaseConflict(let existing): self = .idCaseConflict(existing)
    case .storage, .unknownGame, .unknownVersion, .unknownChannel, .versionInUse, .versionYanked,
      .revisionGone,
      .unreadableCursor, .tokenNameTaken, .corrupt:
      self = .catalogue(error)
    }
  }
}

extension PublishError: CustomStringConvertible {
  /// What is wrong and what to do next, on one line.
  public var description: String {
    switch self {
    case .field(let error): error.detail
    case .checksum(let expected, let actual):
      "The package's MD5 is \(actual), not \(expected) as was said: it changed on the way or is another file."
    case .refused(let findings):
      Self.summary(of: findings)
    case .tooLarge(let limit):
      "The package is larger than the \(limit) bytes this depot accepts (--max-upload)."
    case .diskFloor(let needed, let available):
      "\(needed) bytes must be free on the disk and \(available) are: free some, or lower --disk-floor."
    case .versionExists(let there):
      "This version exists with other bytes (MD5 \(there)): publish under a new version."
    case .versionBurnt(let there):
      "This version number was used before for other bytes (MD5 \(there)) and cannot be used again: raise it."
    case .idCaseConflict(let existing):
      "The id differs from that of the game \(existing) only by case: use \(existing), or another id."
    case .stopping: "The depot is stopping: send the package again when it is back."
    case .system(let error): error.description
    case .catalogue(let error): String(describing: error)
    }
  }

  private static func summary(of findings: [Finding]) -> String {
    let errors = findings.filter { $0.severity == .error }
    let first =
      errors.first.map { "\($0.rule.rawValue)\($0.path.map { " \($0)" } ?? ""): \($0.detail)" } ?? ""
    return errors.count == 1
      ? "The package breaks a rule: \(first)" : "The package breaks \(errors.count) rules, first \(first)"
  }
}

extension Problem {
  /// What an uploader is told.
  init(_ error: PublishError) {
    let detail = error.description
    switch error {
    case .field(let field): self = .badField(field.field, field.detail)
    case .checksum:
      let finding = FindingReport(rule: "checksum-mismatch", severity: "error", path: nil, detail: detail)
      self.init(.checksumMismatch, detail, ["findings": .findings([finding])])
    case .refused(let findings):
      self.init(.packageRefused, detail, ["findings": .findings(findings.map { FindingReport($0) })])
    case .tooLarge(let limit): self.init(.packageTooLarge, detail, ["limit": .number(limit)])
    case .diskFloor(let needed, let available):
      self.init(.diskFloor, detail, ["needed": .number(needed), "available": .number(available)])
    case .versionExists(let there): self.init(.versionExists, detail, ["h5Md5": .text(there.hex)])
    case .versionBurnt(let there): self.init(.versionBurnt, detail, ["h5Md5": .text(there.hex)])
    case .idCaseConflict: self.init(.idCaseConflict, detail)
    case .stopping: self = .tryAgain(detail)
    case .system(let error): self = .internal(error)
    case .catalogue(let error): self.init(error)
    }
  }

  /// What a reader of the catalogue is told.
  init(_ error: CatalogueError) {
    switch error {
    case .unknownGame(let id): self = .unknownGame(id)
    case .unknownVersion(let id, let version): self = .unknownVersion(id, version)
    case .unknownChannel(let id, let channel): self = .unknownChannel(id, channel)
    case .revisionGone(let oldest, let newest):
      self.init(
        .revisionGone,
        "Changes are kept from revision \(oldest) to \(newest): list everything once, then go on from there.")
    case .versionExists(let there): self.init(.versionExists(there))
    case .versionBurnt(let there): self.init(.versionBurnt(there))
    case .idCaseConflict(let existing): self.init(.idCaseConflict(existing))
    case .versionInUse: self.init(.versionInUse, "\(error).")
    case .versionYanked(let id, let version):
      self.init(.versionYanked, "\(id) \(version) was yanked; GET /games/\(id) tells what takes its place.")
    case .unreadableCursor:
      self = .badField("after", "after must be the next of the page before.")
    case .storage where error.isDiskFull:
      self = Problem(.diskFloor, "The disk is full: the catalogue cannot be written.").caused(by: error)
    case .storage where error.isBusy: self = .busy(error)
    case .storage, .tokenNameTaken, .corrupt: self = .internal(error)
    }
  }
}
