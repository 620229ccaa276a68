internal import DepotModel

/// One game that is not known to be in step, and what is to be done about it.
struct PlannedGame: Sendable {
  /// In how few steps it can be.
  enum Step: Sendable {
    /// What the server offers is in use.
    case none
    /// It stands, and is only to be made the one in use.
    case activate(InstalledVersion)
    /// Its package is to be fetched, unless that stands, and unpacked.
    case install(PackageRequest, UnpackingFacts?)
  }

  let release: Release
  let step: Step
  /// The version in use.
  let previous: InstalledVersion?
  /// Versions that are removed once the step is done, the one in use included where no other is to be kept.
  var replaced: [InstalledVersion]
  /// Bytes that come over the network at most.
  let bytesToFetch: Int64
  /// Bytes of its files and its package.
  let bytesToWrite: Int64
  let filesToWrite: Int
  let need: DiskNeed

  var isChange: Bool { if case .none = step { false } else { true } }
}

/// The versions of one game that stand here, and what a release is to them.
struct StandingVersions: Sendable {
  /// The one used last first.
  let all: [InstalledVersion]
  let current: InstalledVersion?

  init(_ all: [InstalledVersion]) {
    self.all = all
    current = all.first(where: \.isCurrent)
  }

  /// Exactly this release.
  func standing(_ release: Release) -> InstalledVersion? {
    all.first { $0.version == release.version && $0.sha256 == release.sha256 }
  }

  /// What goes when `version` has come into use and `keep` are kept.
  func replaced(by version: H5Version, keep: Int) -> [InstalledVersion] {
    Array(all.filter { $0.version != version }.dropFirst(keep - 1))
  }

  /// What can go at once because more than `keep` stand.
  func surplus(keep: Int) -> [InstalledVersion] { all.dropFirst(keep).filter { !$0.isCurrent } }
}
