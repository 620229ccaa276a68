public import Platform

/// Why a zip could not be written.
public enum ZipWriteError: Error, Sendable, Hashable {
  /// The new file cannot be created.
  case cannotCreate(SystemError)
  /// The zip to append to cannot be opened or read.
  case cannotOpen(SystemError)
  /// The zip to append to breaks rules: every error that was found.
  case unsoundArchive([Finding])
  /// A file or folder to be packed cannot be read.
  case cannotRead(SystemError)
  /// A file changed while it was packed. `path` is the file's.
  case sourceChanged(path: String)
  /// The archive cannot be written. Nothing more can be added to it.
  case cannotWrite(SystemError)
  /// Our own reader would not take an entry of this name, or would not take it as it is. Nothing was added.
  case refusedName(Finding)
  /// What was to be packed breaks rules: every error that was found.
  case refused([Finding])
  /// An argument that means nothing: what, and what is expected.
  case badArgument(String)
  /// A call that does not fit what was called before: adding to a finished archive, or in the middle of another entry.
  case outOfOrder(String)
  /// The caller asked to stop. Nothing of the entry it was in stays.
  case cancelled
}

extension ZipWriteError: CustomStringConvertible {
  /// One line for a log: the first finding stands for the others.
  public var description: String {
    switch self {
    case .cannotCreate(let error), .cannotOpen(let error), .cannotRead(let error), .cannotWrite(let error):
      return error.description
    case .sourceChanged(let path): return "\(path.printable) changed while it was read"
    case .refusedName(let finding): return finding.description
    case .unsoundArchive(let findings), .refused(let findings):
      let first = findings.first.map(\.description) ?? "refused"
      return findings.count > 1 ? "\(first) (and \(findings.count - 1) more)" : first
    case .badArgument(let what), .outOfOrder(let what): return what
    case .cancelled: return "cancelled"
    }
  }
}

/// A failure of the archive's file as this module's error.
func onArchive<Result>(_ body: () throws(SystemError) -> Result) throws(ZipWriteError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .cannotWrite(error) }
}

/// A failure of what is to be packed as this module's error.
func onSource<Result>(_ body: () throws(SystemError) -> Result) throws(ZipWriteError) -> Result {
  do throws(SystemError) { return try body() } catch { throw .cannotRead(error) }
}
