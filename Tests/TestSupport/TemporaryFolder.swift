import Glibc
public import Platform

/// A folder of the test's own below `TMPDIR`, removed with everything in it when this goes.
public final class TemporaryFolder: Sendable {
  /// Absolute.
  public let path: String

  /// Makes the folder.
  public init() throws {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    guard let random = Secrets.randomBytes(8) else { throw SystemError(errno: EIO, operation: "random") }
    path = parent + "/game-depot-test-" + random.map { String($0, radix: 16) }.joined(separator: "-")
    _ = try Directory(creating: path)
  }

  deinit {
    let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    // A folder that stays behind must not fail a test that passed.
    _ = try? Directory(path: String(parent)).removeTree(String(path.dropFirst(parent.count + 1)))
  }

  /// Opened.
  public var directory: Directory {
    get throws { try Directory(path: path) }
  }
}
