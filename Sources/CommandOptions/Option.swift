/// One `--option` of a command: also settable as a variable and as a line of the `--config` file.
public struct Option: Sendable, Hashable {
  /// What follows the name.
  public enum Kind: Sendable, Hashable {
    /// Nothing: it is on when it is there.
    case flag
    /// One value, called so in the help; the last one given counts.
    case value(String)
    /// A value each time, called so in the help; all count.
    case list(String)
  }

  /// Without the dashes.
  public let name: String
  /// The letter that stands for it behind one dash: `-o FILE` or `-oFILE`. Only options that are typed often have one.
  public let letter: Character?
  /// What follows the name.
  public let kind: Kind
  /// Said in the help and used when nothing else is given.
  public let fallback: String?
  /// One line.
  public let help: String

  /// Describes an option; `fallback` must be a value the option itself would accept.
  public init(
    _ name: String, letter: Character? = nil, _ kind: Kind, default fallback: String? = nil, _ help: String
  ) {
    self.name = name
    self.letter = letter
    self.kind = kind
    self.fallback = fallback
    self.help = help
  }

  /// The variable that sets it: `GAME_DEPOT_MAX_UPLOAD` for `--max-upload`.
  public func variable(prefix: String) -> String {
    prefix + name.uppercased().replacing("-", with: "_")
  }

  var signature: String {
    let names = letter.map { "-\($0), --\(name)" } ?? "--\(name)"
    return switch kind {
    case .flag: names
    case .value(let placeholder): "\(names) \(placeholder)"
    case .list(let placeholder): "\(names) \(placeholder) …"
    }
  }
}
