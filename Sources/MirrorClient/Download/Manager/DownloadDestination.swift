/// Where a whole file goes. It appears there in one step, when every byte of it is checked and on the disk; parent folders
/// are made. A relative path is meant from the working directory of the process.
public enum DownloadDestination: Sendable, Hashable {
  /// Under `Download.fileName` in the manager's folder.
  case managed
  /// At exactly this path.
  case file(String, ifExists: Existing)
  /// In this folder, under the name the server suggests (`Content-Disposition`), made safe; else under the last part of the
  /// URL's path.
  case folder(String, ifExists: Existing)

  /// What becomes of a file that stands there and that this download has not put there.
  public enum Existing: String, Sendable, Hashable {
    /// The new one takes its place.
    case replace
    /// It stays, and the download fails with `DownloadError.destinationExists`, before anything of the body is taken;
    /// unless its SHA-256 is the one that is asked for: then it is the result.
    case keep
  }
}
