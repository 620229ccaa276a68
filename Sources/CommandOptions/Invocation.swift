/// What a program was asked to do.
public enum Invocation: Sendable {
  /// Print this and exit 0.
  case help(String)
  /// Print this and exit 0.
  case version(String)
  /// Run the command these settings are for.
  case run(Settings)
}

extension Program {
  /// Reads the words after the program's name, then variables, then the file named by `--config`.
  /// Throws when any of them is not understood: nothing is guessed.
  public func invocation(arguments: [String], environment: [String: String]) throws(UsageError) -> Invocation
  {
    var words = arguments[...]
    if words.first == "--version" { return .version("\(name) \(version)\n") }
    if words.first == "--help" || words.first == "-h" || words.first == "help" { return .help(help) }
    guard let command = try command(taking: &words) else { return .help(help) }
    if words.contains("--help") || words.contains("-h") { return .help(help(for: command)) }

    var given: [String: [Settings.Value]] = [:]
    var positional: [String] = []
    let options = command.options + [Self.configuration]
    var onlyArguments = false
    while let first = words.popFirst() {
      let word = onlyArguments ? first : first.spelledOut(with: options)
      guard word.hasPrefix("--"), !onlyArguments else {
        guard !word.hasPrefix("-") || word == "-" || onlyArguments else {
          throw .unknownOption(String(word.drop { $0 == "-" }), nearest: nil)
        }
        positional.append(word)
        continue
      }
      if word == "--" {
        onlyArguments = true
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let name = parts[0]
      guard let option = options.first(where: { $0.name == name }) else {
        throw .unknownOption(name, nearest: name.nearest(among: options.map(\.name)))
      }
      var text = parts.count == 2 ? parts[1] : nil
      if option.kind == .flag {
        guard text == nil else { throw .unexpectedValue(option: name) }
        text = "true"
      } else if text == nil {
        text = words.popFirst()
      }
      guard let text else { throw .missingValue(option: name) }
      given[name, default: []].append(Settings.Value(text: text, source: "--\(name)"))
    }
    try check(positional, for: command)
    for option in options where given[option.name] == nil {
      let variable = option.variable(prefix: variablePrefix)
      guard let text = environment[variable], !text.isEmpty else { continue }
      let texts = option.isList ? text.split(separator: ",").map(String.init) : [text]
      given[option.name] = texts.map { Settings.Value(text: $0, source: variable) }
    }
    if let path = given[Self.configuration.name]?.last?.text {
      for (name, values) in try ConfigurationFile(path: path).values(knownTo: self) where given[name] == nil {
        guard command.options.contains(where: { $0.name == name }) else { continue }
        given[name] = values
      }
    }
    return .run(Settings(command: command, given: given, arguments: positional))
  }

  private func command(taking words: inout ArraySlice<String>) throws(UsageError) -> Command? {
    for length in [2, 1] where words.count >= length {
      let name = words.prefix(length).joined(separator: " ")
      guard let command = commands.first(where: { $0.name == name }) else { continue }
      words = words.dropFirst(length)
      return command
    }
    guard let word = words.first, !word.hasPrefix("-") else {
      guard let defaultCommand else {
        guard let word = words.first else { return nil }
        throw .unknownOption(String(word.drop { $0 == "-" }), nearest: nil)
      }
      return commands.first { $0.name == defaultCommand }
    }
    let family = commands.map(\.name).filter { $0.hasPrefix(word + " ") }
    let tried = family.isEmpty ? word : words.prefix(2).joined(separator: " ")
    let nearest = tried.nearest(among: commands.map(\.name))
    throw .unknownCommand(tried, nearest: nearest ?? (family.isEmpty ? nil : family.joined(separator: ", ")))
  }

  private func check(_ positional: [String], for command: Command) throws(UsageError) {
    if positional.count > command.arguments.count {
      throw .unexpectedArgument(positional[command.arguments.count])
    }
    for argument in command.arguments.dropFirst(positional.count) where !argument.isOptional {
      throw .missingArgument(argument.name)
    }
  }
}

extension String {
  /// `-oFILE` as `--output=FILE`, `-o` as `--output`; other words as they are.
  fileprivate func spelledOut(with options: [Option]) -> String {
    guard hasPrefix("-"), !hasPrefix("--"), let letter = dropFirst().first,
      let option = options.first(where: { $0.letter == letter })
    else { return self }
    let value = dropFirst(2)
    return value.isEmpty ? "--\(option.name)" : "--\(option.name)=\(value)"
  }
}

extension Option {
  var isList: Bool {
    if case .list = kind { true } else { false }
  }
}
