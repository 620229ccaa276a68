internal import DepotModel
internal import ZipArchive

/// What a mirror's owner knows to open encrypted packages with: passwords for single games, and for all.
///
/// Read from a file of lines that end with LF or CRLF. Blank lines do not count, nor those that begin with `#`. A single line
/// that is left is the password of every game, spaces and all; if it begins with a game's id, what stands behind that is tried
/// for that game first. Of several lines each is `gameId password`, or `* password` for every game; all that are written for a
/// game are tried, in their order, those for every game last. Passwords are taken as bytes, whatever their encoding.
public struct PackagePasswords: Sendable, Hashable {
  /// Bytes beyond which it is no password file.
  public static let maximumSize = 1 << 20

  private var single: [GameID: [Password]] = [:]
  private var common: [Password] = []

  /// No package can be opened.
  public static let none = PackagePasswords()

  private init() {}

  /// Reads a password file's bytes. Throws `passwordFile` with the number of the line that cannot be read, never with
  /// what stands in it.
  public init(file bytes: [UInt8]) throws(MirrorError) {
    let lines = Self.lines(of: bytes)
    guard let first = lines.first else {
      throw .passwordFile(
        reason: "there is no password in it; one that begins with # is written behind a star and a space")
    }
    guard lines.count > 1 else {
      if let (owner, password) = Self.pair(first.content) { add(password, for: owner) }
      add(Password(bytes: Array(first.content)), for: .all)
      return
    }
    for line in lines {
      guard let (owner, password) = Self.pair(line.content) else {
        throw .passwordFile(
          reason:
            "line \(line.number) is not a game's id (or *), a space and a password, as it must be in a file "
            + "of several lines")
      }
      add(password, for: owner)
    }
  }

  /// In the order in which they are to be tried.
  func candidates(for id: GameID) -> [Password] {
    let own = single[id] ?? []
    return own + common.filter { !own.contains($0) }
  }

  private enum Owner {
    case all
    case game(GameID)
  }

  private mutating func add(_ password: Password, for owner: Owner) {
    switch owner {
    case .all: common.append(password)
    case .game(let id): single[id, default: []].append(password)
    }
  }

  private static func lines(of bytes: [UInt8]) -> [(number: Int, content: ArraySlice<UInt8>)] {
    // Editors of Windows write a mark in front.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    var lines: [(number: Int, content: ArraySlice<UInt8>)] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard content.first != UInt8(ascii: "#"), !content.allSatisfy(isBlank) else { continue }
      lines.append((index + 1, content))
    }
    return lines
  }

  /// Nil when the line has no two parts, or the first is neither an id nor a star.
  private static func pair(_ line: ArraySlice<UInt8>) -> (Owner, Password)? {
    guard let end = line.firstIndex(where: isBlank) else { return nil }
    let password = line[end...].drop(while: isBlank)
    guard !password.isEmpty else { return nil }
    let name = String(decoding: line[..<end], as: UTF8.self)
    if name == "*" { return (.all, Password(bytes: Array(password))) }
    return GameID(name).map { (.game($0), Password(bytes: Array(password))) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
