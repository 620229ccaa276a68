import CommandOptions
import Foundation
import Testing

@Suite struct InvocationTests {
  static let program = Program(
    name: "depot", version: "1.2", variablePrefix: "DEPOT_", summary: "keeps games",
    commands: [
      Command(
        "serve",
        options: [
          Option("listen", .list("ADDRESS"), default: "127.0.0.1:8080", "where to listen"),
          Option("max-upload", .value("SIZE"), default: "2G", "largest package"),
          Option("grace", .value("DURATION"), "how long to wait"),
          Option("threads", .value("N"), "loops"),
          Option("quiet", letter: "q", .flag, "say less"),
          Option("output", letter: "o", .value("FILE"), "where to"),
        ],
        summary: "serves"),
      Command("token create", options: [Option("name", .value("N"), "whose")], summary: "makes a token"),
      Command("publish", arguments: [.init("FILE"), .init("NOTE", isOptional: true)], summary: "publishes"),
    ],
    defaultCommand: "serve")

  private func settings(_ words: String..., environment: [String: String] = [:]) throws -> Settings {
    let invocation = try Self.program.invocation(arguments: words, environment: environment)
    guard case .run(let settings) = invocation else {
      Issue.record("\(invocation) does not run")
      throw CancellationError()
    }
    return settings
  }

  private func failure(_ words: String..., environment: [String: String] = [:]) throws -> String {
    try #require(
      throws: UsageError.self,
      performing: { _ = try Self.program.invocation(arguments: words, environment: environment) }
    ).description
  }

  @Test func acceptsAValueAfterASpaceOrAnEqualsSign() throws {
    #expect(try settings("serve", "--max-upload", "3M").size("max-upload") == 3 << 20)
    #expect(try settings("serve", "--max-upload=3M").size("max-upload") == 3 << 20)
    #expect(try settings("serve", "--max-upload=").string("max-upload") == "")
  }

  @Test func aLetterStandsForItsOption() throws {
    #expect(try settings("serve", "-o", "x.zip").string("output") == "x.zip")
    #expect(try settings("serve", "-ox.zip").string("output") == "x.zip")
    #expect(try settings("serve", "-o=x").string("output") == "=x")
    #expect(try settings("serve", "-q").flag("quiet"))
    #expect(try settings("serve", "-o", "-").string("output") == "-")
    #expect(try settings("serve", "-o", "x", "--output", "y").string("output") == "y")
    #expect(try failure("serve", "-o") == "--output needs a value")
    #expect(try failure("serve", "-qx") == "--quiet takes no value")
    #expect(try failure("serve", "-x") == "unknown option --x")
    #expect(try failure("publish", "--", "-o", "b", "c") == "unexpected argument \"c\"")
    guard case .help(let text) = try Self.program.invocation(arguments: ["serve", "-h"], environment: [:])
    else {
      return #expect(Bool(false))
    }
    #expect(text.contains("  -o, --output FILE"))
  }

  @Test func runsTheDefaultCommandWhenNoneIsNamed() throws {
    #expect(try settings("--quiet").command.name == "serve")
    #expect(try settings("--quiet").flag("quiet"))
    #expect(try settings().command.name == "serve")
  }

  @Test func findsCommandsOfTwoWords() throws {
    #expect(try settings("token", "create", "--name", "ci").string("name") == "ci")
  }

  @Test func takesArgumentsBetweenOptionsAndAfterTwoDashes() throws {
    #expect(try settings("publish", "a.zip").arguments == ["a.zip"])
    #expect(try settings("publish", "--", "--odd.zip").arguments == ["--odd.zip"])
  }

  @Test func anOptionBeatsAVariableBeatsTheFileBeatsTheDefault() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).conf").path
    try "# comment\n\nmax-upload = 1M\nlisten = [::1]:1\nlisten = [::1]:2\nname = elsewhere\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try settings("serve").size("max-upload") == 2 << 30)
    #expect(try settings("serve", "--config", path).size("max-upload") == 1 << 20)
    #expect(try settings("serve", "--config", path).strings("listen") == ["[::1]:1", "[::1]:2"])
    let environment = ["DEPOT_MAX_UPLOAD": "2M", "DEPOT_CONFIG": path]
    #expect(try settings("serve", environment: environment).size("max-upload") == 2 << 20)
    #expect(
      try settings("serve", "--max-upload", "3M", environment: environment).size("max-upload") == 3 << 20)
  }

  @Test func tellsAnOptionFromAVariable() throws {
    let environment = ["DEPOT_GRACE": "5s"]
    #expect(try !settings("serve", environment: environment).isOnCommandLine("grace"))
    #expect(try settings("serve", "--grace", "5s", environment: environment).isOnCommandLine("grace"))
    #expect(try !settings("serve").isOnCommandLine("listen"))
  }

  @Test func aListInAVariableIsSeparatedByCommas() throws {
    #expect(
      try settings("serve", environment: ["DEPOT_LISTEN": "a:1,b:2"]).strings("listen") == ["a:1", "b:2"])
    #expect(try settings("serve").strings("listen") == ["127.0.0.1:8080"])
  }

  @Test(arguments: [("64K", 65536), ("2m", 2 << 20), ("0", 0), ("1T", 1 << 40), ("17", 17)])
  func readsSizes(text: String, bytes: Int64) throws {
    #expect(try settings("serve", "--max-upload", text).size("max-upload") == bytes)
  }

  @Test(arguments: ["", "K", "-1", "1.5G", "9223372036854775807K", "12Q", "1 K"])
  func refusesWhatIsNoSize(text: String) throws {
    let settings = try settings("serve", "--max-upload", text)
    #expect(
      throws: UsageError.badValue(
        source: "--max-upload", value: text, expected: "a size such as 64K, 2M or 1G")
    ) {
      try settings.size("max-upload")
    }
  }

  @Test(arguments: [("90s", 90), ("5m", 300), ("24h", 86400), ("7d", 604800), ("0s", 0)])
  func readsDurations(text: String, seconds: Int) throws {
    #expect(try settings("serve", "--grace", text).duration("grace") == .seconds(seconds))
  }

  @Test(arguments: ["", "5", "m", "-5m", "99999999999999999999s", "5 m"])
  func refusesWhatIsNoDuration(text: String) throws {
    let settings = try settings("serve", "--grace", text)
    #expect(throws: UsageError.self) { try settings.duration("grace") }
  }

  @Test func refusesNumbersOutsideTheirRange() throws {
    #expect(try settings("serve", "--threads", "4").integer("threads", in: 1...8) == 4)
    let settings = try settings("serve", environment: ["DEPOT_THREADS": "9"])
    let error = #expect(throws: UsageError.self) { try settings.integer("threads", in: 1...8) }
    #expect(error?.description == #"DEPOT_THREADS: "9" is not a whole number from 1 to 8"#)
  }

  @Test func flagsInVariablesSayTrueOrFalse() throws {
    #expect(try settings("serve", environment: ["DEPOT_QUIET": "yes"]).flag("quiet"))
    #expect(try !settings("serve", environment: ["DEPOT_QUIET": "0"]).flag("quiet"))
    #expect(throws: UsageError.self) {
      try settings("serve", environment: ["DEPOT_QUIET": "perhaps"]).flag("quiet")
    }
  }

  @Test func suggestsTheNearestName() throws {
    #expect(
      try failure("serve", "--max-uplaod", "1") == "unknown option --max-uplaod; did you mean --max-upload?")
    #expect(try failure("serev") == #"unknown command "serev"; did you mean serve?"#)
    #expect(try failure("token", "craete") == #"unknown command "token craete"; did you mean token create?"#)
    #expect(try failure("token") == #"unknown command "token"; did you mean token create?"#)
    #expect(try failure("serve", "--zzzzzz") == "unknown option --zzzzzz")
  }

  @Test func refusesWhatItDoesNotUnderstand() throws {
    #expect(try failure("serve", "--max-upload") == "--max-upload needs a value")
    #expect(try failure("serve", "--quiet=1") == "--quiet takes no value")
    #expect(try failure("serve", "-x") == "unknown option --x")
    #expect(try failure("serve", "more") == #"unexpected argument "more""#)
    #expect(try failure("publish") == "FILE is required")
    #expect(try failure("serve", "--config", "/nonexistent/x").hasPrefix("cannot read /nonexistent/x: open"))
    #expect(try settings("token", "create").string("name") == nil)
    #expect(throws: UsageError.missingOption("name")) { try settings("token", "create").required("name") }
  }

  @Test func saysWhichLineOfTheFileIsWrong() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).conf").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "quiet = true\nmax-upload 5\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try failure("serve", "--config", path) == "\(path):2: expected `name = value`")
    try "\nquite = true\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(
      try failure("serve", "--config", path) == #"\#(path):2: unknown setting "quite"; did you mean quiet?"#)
  }

  @Test func helpNamesEveryCommandOptionAndDefault() throws {
    guard case .help(let text) = try Self.program.invocation(arguments: ["--help"], environment: [:]) else {
      Issue.record("--help does not help")
      return
    }
    for command in Self.program.commands { #expect(text.contains(command.name)) }
    guard
      case .help(let serve) = try Self.program.invocation(arguments: ["serve", "--help"], environment: [:])
    else {
      Issue.record("serve --help does not help")
      return
    }
    #expect(serve.contains("--max-upload SIZE"))
    #expect(serve.contains("(default 2G)"))
    guard case .version(let version) = try Self.program.invocation(arguments: ["--version"], environment: [:])
    else {
      Issue.record("--version does not tell")
      return
    }
    #expect(version == "depot 1.2\n")
  }
}
