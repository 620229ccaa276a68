public import Platform

/// Why a zip could not be read or unpacked.
public enum ZipError: Error, Sendable, Hashable {
  /// The zip breaks rules: every error that was found.
  case refused([Finding])
  /// These files need a password.
  case encrypted(paths: [String])
  /// The system failed, not the zip.
  case system(SystemError)
  /// The caller asked to stop.
  case cancelled
}

extension ZipError: CustomStringConvertible {
  /// One line for a log: the first finding stands for the others.
  public var description: String {
    switch self {
    case .refused(let findings):
      let first = findings.first.map(\.description) ?? "refused"
      return findings.count > 1 ? "\(first) (and \(findings.count - 1) more)" : first
    case .encrypted(let paths): return "needs a password: \(paths.prefix(3).joined(separator: ", "))"
    case .system(let error): return error.description
    case .cancelled: return "cancelled"
    }
  }
}
