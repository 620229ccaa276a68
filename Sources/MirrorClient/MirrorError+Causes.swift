internal import Platform
internal import ZipArchive

extension MirrorError {
  /// The failure of a step that writes or reads the disk.
  init(_ error: ZipError) {
    switch error {
    case .refused(let findings): self = .refused(findings: Self.firstOf(findings.map(\.description)))
    case .encrypted: self = .passwordNeeded
    case .wrongPassword(let paths):
      self = .wrongPassword(paths: Self.firstOf(paths.map(\.debugDescription)))
    case .system(let error): self = .system(error)
    case .cancelled: self = .cancelled
    }
  }

  /// One line stays one line however many findings there are.
  static func firstOf(_ findings: [String], limit: Int = 5) -> [String] {
    guard findings.count > limit else { return findings }
    return findings.prefix(limit) + ["and \(findings.count - limit) more"]
  }

  init(_ error: DownloadError) {
    switch error {
    case .disk(let error): self = .system(error)
    case .cancelled: self = .cancelled
    case .notPermitted(let url, let status): self = .notPermitted(url: url, status: status)
    case .receipts(let path, let reason, let isUnwritable):
      self = .store(path: path, reason: reason, isUnwritable: isUnwritable)
    case .transfer, .digestMismatch, .sizeMismatch, .badAnswer, .badURL, .inUse, .unknown, .conflict,
      .badDestination, .destinationExists, .recorded:
      self = .download(reason: error.description)
    }
  }
}

/// Runs disk work; its failures become the mirror's.
func onDisk<Result>(_ body: () throws(SystemError) -> Result) throws(MirrorError) -> Result {
  do { return try body() } catch { throw .system(error) }
}

/// Runs work on a zip; its failures become the mirror's.
func onPackage<Result>(_ body: () throws(ZipError) -> Result) throws(MirrorError) -> Result {
  do { return try body() } catch { throw MirrorError(error) }
}
