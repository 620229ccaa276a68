import CommandOptions
import DepotModel
import PlayService
import ReadAPI

/// The options of `serve` that say how games are served.
enum PlayOptions {
  static let all = [
    Option(
      "allow-host", .list("NAME"),
      "answer requests for this name or address too; else only for this machine's own"),
    Option(
      "raw-encodings", .list("ID"),
      "send .gz, .br and .unityweb files of this game as they are: it inflates them itself"),
    Option("spa", .list("ID"), "answer paths that are no file of this game with its index.html"),
    Option(
      "isolate", .list("ID"),
      "give this game's pages what threads need (COOP, COEP), whatever was found when it was installed"),
    Option("no-isolate", .list("ID"), "never give them to this game's pages"),
    Option(
      "public-url", .value("URL"),
      "what links to packages begin with, for mirrors of this one; else the Host they ask by"),
  ]

  /// Throws for what cannot be a host or an id, and for a game that is to be isolated and not.
  static func read(_ settings: Settings) throws -> PlaySettings {
    var play = PlaySettings()
    play.allowedHosts = try settings.readAll(
      "allow-host", expected: "a host name or address without a port"
    ) { PlaySettings.isHost($0) ? $0 : nil }
    play.publicURL = try settings.read(
      "public-url", expected: "http:// or https://, a host and perhaps a path", PublicURL.init)
    play.rawEncodings = Set(try games("raw-encodings", settings))
    play.singlePage = Set(try games("spa", settings))
    for id in try games("isolate", settings) { play.isolation[id] = true }
    for id in try games("no-isolate", settings) {
      guard play.isolation.updateValue(false, forKey: id) != true else {
        throw UsageError.badValue(
          source: "--no-isolate", value: id.text, expected: "a game that --isolate does not name")
      }
    }
    return play
  }

  private static func games(_ name: String, _ settings: Settings) throws -> [GameID] {
    try settings.readAll(name, expected: "the id of a game", GameID.init)
  }
}
