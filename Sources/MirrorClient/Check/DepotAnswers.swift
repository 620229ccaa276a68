internal import DepotModel
internal import HTTPClient

/// The server's JSON, read without trust: an answer that breaks the contract is refused, a single game that does is set
/// aside.
enum DepotAnswers {
  /// Bytes of a cursor or uuid beyond which nobody meant it.
  static let maximumText = 1024
  /// Characters of notes that a mirror hands on: as many as a depot takes.
  private static let notesLimit = 10_000

  /// `GET /games`.
  struct Listing: Decodable {
    let catalogue: String
    let revision: Int64
    let games: [ReadableOrNot<Game>]
    let next: String?
  }

  /// `GET /games?since=`.
  struct Changes: Decodable {
    let revision: Int64
    let changed: [ReadableOrNot<Game>]
    let removed: [ReadableOrNot<GameID>]
    let next: String?
  }

  /// A member of a list, or why it is none.
  enum ReadableOrNot<Value: Decodable>: Decodable {
    case value(Value)
    case unreadable(UnreadableGame)

    private struct Name: Decodable { let gameId: String? }

    init(from decoder: any Decoder) throws {
      do {
        self = .value(try Value(from: decoder))
      } catch {
        // Only a name to call it by is wanted here; without one it is called so.
        let name = (try? Name(from: decoder))?.gameId ?? "(unreadable game)"
        // A number that fits no integer is an error of Foundation's own, and no DecodingError yet.
        let reason = (error as? DecodingError)?.brief ?? "a number out of range"
        self = .unreadable(UnreadableGame(game: name.printable(limit: 64), reason: reason))
      }
    }
  }

  static func listing(_ bytes: [UInt8], server: WebURL) throws(AnswerError) -> ListingPage {
    let answer = try decode(Listing.self, bytes)
    guard answer.revision >= 0 else { throw AnswerError("revision \(answer.revision)") }
    guard isPlain(answer.catalogue, limit: 64) else { throw AnswerError("a catalogue's uuid that is none") }
    return ListingPage(
      catalogue: answer.catalogue, revision: answer.revision,
      games: answer.games.map { offered($0, server: server) }, next: try cursor(answer.next))
  }

  static func changes(_ bytes: [UInt8], server: WebURL) throws(AnswerError) -> ChangesPage {
    let answer = try decode(Changes.self, bytes)
    guard answer.revision >= 0 else { throw AnswerError("revision \(answer.revision)") }
    var changed = answer.changed.map { offered($0, server: server) }
    var removed: [GameID] = []
    for id in answer.removed {
      switch id {
      case .value(let id): removed.append(id)
      case .unreadable(let unreadable): changed.append(.failure(unreadable))
      }
    }
    return ChangesPage(
      revision: answer.revision, changed: changed, removed: removed, next: try cursor(answer.next))
  }

  private static func offered(_ game: ReadableOrNot<Game>, server: WebURL) -> OfferedGame {
    switch game {
    case .unreadable(let unreadable): .failure(unreadable)
    case .value(let game): offered(game, server: server)
    }
  }

  private static func offered(_ game: Game, server: WebURL) -> OfferedGame {
    func refused(_ reason: String) -> OfferedGame {
      .failure(UnreadableGame(game: game.gameId.text, reason: reason))
    }
    guard let url = WebURL(game.h5Down) else {
      return refused("h5Down is no usable URL: \(game.h5Down.printable(limit: 100))")
    }
    // A server reached safely must not send its clients elsewhere unsafely.
    guard server.scheme == .http || url.scheme == .https else {
      return refused("h5Down is http, the server is https: \(url.text.printable(limit: 100))")
    }
    guard game.h5Size > 0 else { return refused("h5Size \(game.h5Size)") }
    var release = Release(
      id: game.gameId, title: game.title.printable(limit: 200), version: game.h5Version, url: url,
      sha256: game.h5Sha256, md5: game.h5Md5, size: game.h5Size, publishedAt: game.publishedAt)
    release.mandatory = game.mandatory
    release.minHostVersion = game.minHostVersion.map { $0.printable(limit: 64) }
    release.notes = game.notes.map { String($0.unicodeScalars.prefix(notesLimit)) }
    return .success(release)
  }

  private static func cursor(_ text: String?) throws(AnswerError) -> String? {
    guard let text else { return nil }
    guard !text.isEmpty, text.utf8.count <= maximumText else { throw AnswerError("a cursor that is none") }
    return text
  }

  static func isPlain(_ text: String, limit: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= limit
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8]
  ) throws(AnswerError) -> Value {
    do {
      return try JSON.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw AnswerError(error.brief)
    } catch {
      throw AnswerError("no JSON")
    }
  }
}

/// What is wrong with an answer, in a few words.
struct AnswerError: Error, Hashable {
  let reason: String

  init(_ reason: String) { self.reason = reason.printable(limit: 200) }
}

extension DecodingError {
  /// Where and what, on one line.
  var brief: String {
    switch self {
    case .typeMismatch(_, let context): Self.line(context, "another type")
    case .valueNotFound(_, let context): Self.line(context, "null")
    case .keyNotFound(let key, let context): Self.line(context, "no \(key.stringValue)")
    case .dataCorrupted(let context): Self.line(context, context.debugDescription)
    @unknown default: "unreadable"
    }
  }

  private static func line(_ context: Context, _ what: String) -> String {
    let place = context.codingPath.compactMap { $0.intValue == nil ? $0.stringValue : nil }.joined(
      separator: ".")
    return (place.isEmpty ? what : "\(place): \(what)").printable(limit: 200)
  }
}

extension String {
  /// On one line, of at most `limit` characters, and without anything that could steer a terminal or a log.
  func printable(limit: Int) -> String {
    var text = ""
    for scalar in unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
        text.unicodeScalars.append("\u{FFFD}")
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
