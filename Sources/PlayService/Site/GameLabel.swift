internal import DepotModel

/// The label that names a game in a host, `<label>.localhost`, so that it has an origin of its own.
enum GameLabel {
  /// The id in lower case, as browsers write hosts; nil when it is no label (RFC 1123 §2.1: 1 to 63 letters, digits and
  /// hyphens, no hyphen at an end). Ids that differ only by case do not both exist, so that a label names one game.
  static func of(_ id: GameID) -> String? {
    let bytes = id.text.utf8
    guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-"),
      bytes.allSatisfy({ byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
      })
    else { return nil }
    return id.folded
  }
}
