public import Platform

/// Why a zip could not be read or unpacked.
public enum ZipError: Error, Sendable, Hashable {
  /// The zip breaks rules: every error that was found.
  case refused([Finding])
  /// These files need a password.
  case encrypted(paths: [String])
  /// The password opens other files but not these, or none at all: the first hundred.
  case wrongPassword(paths: [String])
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
    case .encrypted(let paths): return "needs a password: \(Self.shown(paths))"
    case .wrongPassword(let paths):
      return "the password does not open \(Self.shown(paths)): it is wrong, or the bytes were changed"
    case .system(let error): return error.description
    case .cancelled: return "cancelled"
    }
  }

  /// The first three.
  private static func shown(_ paths: [String]) -> String {
    let first = paths.prefix(3).map(\.printable).joined(separator: ", ")
    return paths.count > 3 ? "\(first) (and \(paths.count - 3) more)" : first
  }
}
