/// One command of a program: what it takes, and the words its help says.
public struct Command: Sendable, Hashable {
  /// A word that stands without dashes.
  public struct Argument: Sendable, Hashable {
    /// In capitals, as the usage line has it.
    public let name: String
    /// Whether it may be left out; optional ones come last.
    public let isOptional: Bool

    /// Describes an argument.
    public init(_ name: String, isOptional: Bool = false) {
      self.name = name
      self.isOptional = isOptional
    }
  }

  /// One or two words: `serve`, `token create`.
  public let name: String
  /// In the order they are given.
  public let arguments: [Argument]
  /// In the order the help tells them.
  public let options: [Option]
  /// One line for the list of commands.
  public let summary: String
  /// Paragraphs for the command's own help.
  public let discussion: String

  /// Describes a command.
  public init(
    _ name: String, arguments: [Argument] = [], options: [Option] = [], summary: String,
    discussion: String = ""
  ) {
    self.name = name
    self.arguments = arguments
    self.options = options
    self.summary = summary
    self.discussion = discussion
  }
}

/// A program: its commands, and where else its settings may come from.
public struct Program: Sendable {
  /// As it is typed.
  public let name: String
  /// As `--version` tells it.
  public let version: String
  /// `GAME_DEPOT_`.
  public let variablePrefix: String
  /// One line for the head of the help.
  public let summary: String
  /// In the order the help tells them.
  public let commands: [Command]
  /// Runs when the first word names no command and is an option or missing; nil shows the help instead.
  public let defaultCommand: String?

  /// Describes a program.
  public init(
    name: String, version: String, variablePrefix: String, summary: String, commands: [Command],
    defaultCommand: String? = nil
  ) {
    self.name = name
    self.version = version
    self.variablePrefix = variablePrefix
    self.summary = summary
    self.commands = commands
    self.defaultCommand = defaultCommand
  }

  /// `--config FILE`, which every command takes.
  static let configuration = Option(
    "config", .value("FILE"), "settings, one `name = value` a line; # starts a comment")

  /// The text of `--help`.
  public var help: String {
    let width = (commands.map(\.name.count).max() ?? 0) + 2
    let list = commands.map { "  \($0.name.padded(to: width))\($0.summary)" }.joined(separator: "\n")
    return """
      \(name) \(version): \(summary)

      usage: \(name) COMMAND [options]\(defaultCommand.map { "      (\($0) when no command is named)" } ?? "")

      \(list)

      `\(name) COMMAND --help` tells a command's options. Every option is also a variable
      (\(variablePrefix)NAME_OF_OPTION) and a line of --config FILE: an option beats a variable beats the file.

      """
  }

  /// The text of `COMMAND --help`.
  public func help(for command: Command) -> String {
    let arguments = command.arguments.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" }.joined()
    let options = command.options + [Self.configuration]
    let width = (options.map(\.signature.count).max() ?? 0) + 2
    let list = options.map { option in
      let fallback = option.fallback.map { " (default \($0))" } ?? ""
      return "  \(option.signature.padded(to: width))\(option.help)\(fallback)"
    }
    let discussion = command.discussion.isEmpty ? "" : "\n\(command.discussion)\n"
    return """
      \(name) \(command.name): \(command.summary)

      usage: \(name) \(command.name)\(arguments) [options]
      \(discussion)
      \(list.joined(separator: "\n"))

      """
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
