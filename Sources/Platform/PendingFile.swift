/// A file that appears under its name only when it is whole: written beside it under a name of its own, made durable,
/// renamed. One thread at a time.
///
/// It removes its file when it goes away, unless the file was given its name before.
public final class PendingFile {
  private static let prefix = ".pending-"
  private static let suffix = ".part"
  private static let randomDigits = 32

  /// Empty at first; open for reading and writing.
  public let file: File
  private let folder: Directory
  private let pendingName: String
  private let name: String
  private var isCommitted = false

  /// Creates the file, in the folder where `name` beneath `directory` is to appear. A new file gets 0644 before the umask.
  public init(replacing name: String, in directory: Directory) throws(SystemError) {
    let slash = name.lastIndex(of: "/")
    folder =
      try slash.map { (at) throws(SystemError) in try directory.directory(String(name[..<at])) } ?? directory
    self.name = slash.map { String(name[name.index(after: $0)...]) } ?? name
    guard let random = Secrets.randomBytes(Self.randomDigits / 2) else {
      throw SystemError(errno: 11, operation: "random name", path: folder.path)
    }
    let digits = random.map { byte in
      let text = String(byte, radix: 16)
      return text.utf8.count == 1 ? "0" + text : text
    }
    pendingName = Self.prefix + digits.joined() + Self.suffix
    file = try folder.file(pendingName, mode: .createNew)
  }

  deinit {
    // What cannot be removed now is known by its name.
    if !isCommitted { _ = try? folder.removeFile(pendingName) }
  }

  /// Makes the file durable and gives it its name, in place of a file or symlink that is there, in one step.
  /// When this throws, what stood under the name still does, unless only the last step failed: then the new file
  /// stands there and may not survive a power cut.
  public func commit(through volume: any Volume) throws(SystemError) {
    try volume.synchronize(file)
    try volume.rename(pendingName, in: folder, to: name, in: folder)
    isCommitted = true
    try volume.synchronize(folder)
  }

  /// Whether `name` is one that such files have before they get theirs, left behind by a program that was killed.
  public static func isPendingName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && name.hasSuffix(suffix)
      && name.utf8.count == prefix.utf8.count + randomDigits + suffix.utf8.count
  }
}
