public import DepotModel

/// A glob over the ids of games: `*` stands for any characters, `?` for one, `[a-f0-9]` for one of these and `[!a-f]` for
/// any other; every other character for itself, in its case. Compared by glob(7), as far as ids have use for it.
///
/// An id holds none of these signs, so an id is the pattern of itself.
public struct GamePattern: Sendable, Hashable {
  /// Characters beyond which nobody meant it.
  static let maximumLength = 256

  private enum Piece: Sendable, Hashable {
    case byte(UInt8)
    case any
    case run
    case set([ClosedRange<UInt8>], isNegated: Bool)
  }

  /// As it was written.
  public let text: String
  private let pieces: [Piece]

  /// Nil for an empty text, a set that does not end or is empty, a range that runs backwards, and characters no id holds:
  /// those could never match, and whoever wrote them meant something else.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.maximumLength else { return nil }
    var pieces: [Piece] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "*"): if pieces.last != .run { pieces.append(.run) }
      case UInt8(ascii: "?"): pieces.append(.any)
      case UInt8(ascii: "["):
        guard let set = Self.set(&rest) else { return nil }
        pieces.append(set)
      case _ where Self.isOfIDs(byte): pieces.append(.byte(byte))
      default: return nil
      }
    }
    self.text = text
    self.pieces = pieces
  }

  /// Whether the whole id is as the pattern says. Takes time in proportion to the product of both lengths at most.
  public func matches(_ id: GameID) -> Bool {
    let bytes = Array(id.text.utf8)
    var (position, piece) = (0, 0)
    // Where to go on when what follows the last `*` does not match: it takes one more byte then.
    var retry: (position: Int, piece: Int)?
    while position < bytes.count {
      if piece < pieces.count, pieces[piece] == .run {
        piece += 1
        retry = (position, piece)
      } else if piece < pieces.count, Self.matches(pieces[piece], bytes[position]) {
        position += 1
        piece += 1
      } else if let last = retry {
        retry = (last.position + 1, last.piece)
        (position, piece) = (last.position + 1, last.piece)
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .run }
  }

  private static func matches(_ piece: Piece, _ byte: UInt8) -> Bool {
    switch piece {
    case .byte(let wanted): byte == wanted
    case .any: true
    case .run: false
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(byte) } != isNegated
    }
  }

  private static func set(_ rest: inout ArraySlice<UInt8>) -> Piece? {
    var isNegated = false
    if rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^") {
      isNegated = true
      rest.removeFirst()
    }
    var ranges: [ClosedRange<UInt8>] = []
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "]") { return ranges.isEmpty ? nil : .set(ranges, isNegated: isNegated) }
      guard isOfIDs(first) else { return nil }
      guard rest.first == UInt8(ascii: "-"), let last = rest.dropFirst().first, last != UInt8(ascii: "]")
      else {
        ranges.append(first...first)
        continue
      }
      guard isOfIDs(last), first <= last else { return nil }
      ranges.append(first...last)
      rest = rest.dropFirst(2)
    }
    return nil
  }

  private static func isOfIDs(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
