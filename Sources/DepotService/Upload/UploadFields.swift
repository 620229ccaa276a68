public import DepotModel
public import ZipArchive

/// What a publisher says about a package beside its bytes.
public struct UploadFields: Sendable, Hashable {
  /// The game, which may be new.
  public var gameID: GameID
  /// The version.
  public var version: H5Version
  /// Nil keeps the game's title, or takes the id for a new game.
  public var title: String?
  /// The channel that comes to point at it.
  public var channel: ChannelName
  /// Whether players must update.
  public var mandatory: Bool
  /// The oldest host that can run it.
  public var minHostVersion: H5Version?
  /// What is new, for players.
  public var notes: String?
  /// What the bytes must hash to.
  public var md5: MD5Digest?
  /// How names are encoded that do not tell it themselves; nil has it found out.
  public var namesEncoding: NamesEncoding?
  /// Leaves a folder that holds everything in the paths.
  public var keepWrapper: Bool
  /// Refuses a package without an `index.html` at its root.
  public var requireIndex: Bool

  /// A package for the stable channel about which nothing else is said.
  public init(gameID: GameID, version: H5Version) {
    self.gameID = gameID
    self.version = version
    channel = .stable
    mandatory = false
    keepWrapper = false
    requireIndex = false
  }
}

/// A field that cannot be what it says.
public struct FieldError: Error, Sendable, Hashable {
  /// The field's name in the contract.
  public let field: String
  /// What is wrong and what would be right, for a person.
  public let detail: String
}

extension UploadFields {
  /// The names a form or a query may use; anything else in it is ignored.
  public static let names: Set<String> = [
    "gameId", "h5Version", "title", "channel", "rollout", "mandatory", "minHostVersion", "notes", "h5Md5",
    "namesEncoding", "keepWrapper", "requireIndex",
  ]

  /// Reads what a form or a query said; an empty optional value counts as absent, since browsers send every input.
  public init(_ values: [String: String]) throws(FieldError) {
    let reader = FieldReader(values: values)
    gameID = try reader.required(
      "gameId", GameID.init, "1 to 128 of A-Z a-z 0-9 . _ -, first a letter or digit")
    version = try reader.required(
      "h5Version", H5Version.init, "1 to 64 of A-Z a-z 0-9 . _ + -, first a letter or digit")
    title = try reader.optional("title", Self.title, "at most 200 characters without control characters")
    channel =
      try reader.optional(
        "channel", ChannelName.init, "1 to 32 of A-Z a-z 0-9 . _ -, first a letter or digit")
      ?? .stable
    _ = try reader.optional(
      "rollout", { Int($0) == 100 ? 100 : nil }, "100: every client sees what the channel holds")
    mandatory = try reader.optional("mandatory", Self.flag, "true or false") ?? false
    minHostVersion = try reader.optional(
      "minHostVersion", H5Version.init, "a version: 1 to 64 of A-Z a-z 0-9 . _ + -, first a letter or digit")
    notes = try reader.optional(
      "notes", Self.notes, "at most 10,000 characters, of controls only line ends and tabs")
    md5 = try reader.optional("h5Md5", { MD5Digest(hex: $0) }, "32 hex digits")
    namesEncoding = try reader.optional(
      "namesEncoding", { NamesEncoding($0) }, "one of \(NamesEncoding.list)")
    keepWrapper = try reader.optional("keepWrapper", Self.flag, "true or false") ?? false
    requireIndex = try reader.optional("requireIndex", Self.flag, "true or false") ?? false
  }

  static func title(_ text: String) -> String? {
    guard text.count <= 200, text.unicodeScalars.allSatisfy({ !isControl($0) }) else { return nil }
    return text
  }

  static func notes(_ text: String) -> String? {
    guard text.count <= 10_000,
      text.unicodeScalars.allSatisfy({ !isControl($0) || $0 == "\n" || $0 == "\r" || $0 == "\t" })
    else { return nil }
    return text
  }

  static func flag(_ text: String) -> Bool? {
    switch text {
    case "true": true
    case "false": false
    default: nil
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}

/// Values by name, with words for what is wrong with them.
private struct FieldReader {
  let values: [String: String]

  func required<Value>(_ name: String, _ parse: (String) -> Value?, _ rule: String) throws(FieldError)
    -> Value
  {
    guard let value = try optional(name, parse, rule) else {
      throw FieldError(field: name, detail: "\(name) is missing: \(rule).")
    }
    return value
  }

  func optional<Value>(_ name: String, _ parse: (String) -> Value?, _ rule: String) throws(FieldError)
    -> Value?
  {
    guard let text = values[name], !text.isEmpty else { return nil }
    guard let value = parse(text) else {
      throw FieldError(field: name, detail: "\(name) must be \(rule).")
    }
    return value
  }
}
