import Catalogue
import CommandOptions
import DepotModel
import DepotService
import Platform

/// `token create`, `token list`, `token revoke`.
enum TokenCommands {
  static func create(_ settings: Settings) throws -> Int32 {
    let name = try settings.required("name")
    guard isName(name) else {
      throw UsageError.badValue(source: "--name", value: name, expected: "1 to 64 of A-Z a-z 0-9 . _ @ -")
    }
    _ = try settings.required("scope")
    guard
      let scope = try settings.read("scope", expected: "read, publish or admin", TokenScope.init(rawValue:))
    else {
      throw UsageError.missingOption("scope")
    }
    let games = Set(
      try settings.readAll(
        "game", expected: "1 to 128 of A-Z a-z 0-9 . _ -, first a letter or digit", GameID.init))
    guard games.isEmpty || scope == .publish else {
      throw Failure(
        Failure.usage, "--game limits what a token of scope publish may publish; others it cannot")
    }
    let lifetime = try settings.duration("expires")
    guard let token = AccessToken.random() else {
      throw Failure(70, "the system has no randomness to make a token of")
    }
    let catalogue = try Opening.depot(settings, creating: true).catalogue
    do throws(CatalogueError) {
      try catalogue.createToken(
        name: name, scope: scope, games: games.isEmpty ? nil : games,
        expiresAt: lifetime.map { Timestamp(seconds: Timestamp.now.seconds + $0.components.seconds) },
        hash: token.hash, actor: "cli")
    } catch {
      throw Failure(Failure.data, "\(error)")
    }
    Terminal.write("\(token.text)\n", to: .output)
    return 0
  }

  static func list(_ settings: Settings) throws -> Int32 {
    let tokens = try Opening.depot(settings, creating: false).catalogue.tokens()
    let rows = tokens.map { token in
      let state = token.revokedAt.map { "revoked \($0)" } ?? (token.isActive(at: .now) ? "active" : "expired")
      return [
        token.name, token.scope.rawValue,
        token.games.map { $0.sorted().map(\.text).joined(separator: ",") } ?? "all", "\(token.createdAt)",
        token.expiresAt.map { "\($0)" } ?? "never", token.lastUsedAt.map { "\($0)" } ?? "never", state,
      ]
    }
    Terminal.write(
      Table(["NAME", "SCOPE", "GAMES", "CREATED", "EXPIRES", "LAST-USED", "STATE"], rows).text, to: .output)
    return 0
  }

  static func revoke(_ settings: Settings) throws -> Int32 {
    let name = settings.arguments[0]
    guard try Opening.depot(settings, creating: false).catalogue.revokeToken(name: name, actor: "cli") else {
      throw Failure(
        Failure.data, "no active token is named \(name.debugDescription); `game-depot token list` shows them")
    }
    return 0
  }

  /// Names stand in tables and logs, so they are kept plain.
  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
