internal import Platform

/// A folder for what a plan must read and nobody needs afterwards: a dry run leaves the mirror as it is.
///
/// Below `$TMPDIR`, else `/tmp`; only this user can look into it.
struct ScratchFolder: Sendable {
  let folder: Directory
  private let parent: Directory
  private let name: String

  init() throws(SystemError) {
    let place = ThisProcess.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    parent = try Directory(path: place)
    name = "mirror-sync-plan-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    folder = try Directory(creating: "\(place)/\(name)", permissions: 0o700)
  }

  /// Removes it with all that is in it.
  func remove() { _ = try? parent.removeTree(name) }
}
