/// Who makes a change, and from where: what the audit log tells of it.
public struct Author: Sendable, Hashable, ExpressibleByStringLiteral {
  /// A token's name, or `cli`.
  public let name: String
  /// The client's address without its port, as the server sees it through trusted proxies; `local` through a Unix
  /// socket, `cli` for a command on the depot's folder.
  public let origin: String

  /// Somebody somewhere.
  public init(name: String, origin: String) {
    self.name = name
    self.origin = origin
  }

  /// Somebody at the command line.
  public init(stringLiteral name: String) { self.init(name: name, origin: "cli") }

  /// Whoever runs a command on the depot's folder.
  public static let commandLine: Author = "cli"
}
