/// A validator of one representation (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// Whether it is of the `W/` kind, equal for representations that merely mean the same.
  public let isWeak: Bool
  /// The tag as it stands in a field, quotes and `W/` included.
  public let wire: [UInt8]

  /// A tag around `opaque`; nil when that holds a quote, white space or a control character.
  public init?(_ opaque: String, isWeak: Bool = false) {
    guard opaque.utf8.allSatisfy(Self.isTagCharacter) else { return nil }
    self.isWeak = isWeak
    wire = Array("\(isWeak ? "W/" : "")\"\(opaque)\"".utf8)
  }

  /// The tag as it stands in a field.
  public var description: String { String(decoding: wire, as: UTF8.self) }

  /// RFC 9110 §8.8.3: etagc = %x21 / %x23-7E / obs-text.
  private static func isTagCharacter(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x22 && byte != 0x7f }

  /// Reads one tag at the start of a part; nil when there is none.
  static func read(_ bytes: Span<UInt8>, in range: Range<Int>) -> (isWeak: Bool, quoted: Range<Int>)? {
    var start = range.lowerBound
    var isWeak = false
    if range.count >= 2, bytes[start] == UInt8(ascii: "W"), bytes[start + 1] == UInt8(ascii: "/") {
      isWeak = true
      start += 2
    }
    guard start < range.upperBound, bytes[start] == 0x22 else { return nil }
    var index = start + 1
    while index < range.upperBound, isTagCharacter(bytes[index]) { index += 1 }
    guard index < range.upperBound, bytes[index] == 0x22 else { return nil }
    return (isWeak, start..<index + 1)
  }

  /// Whether the opaque parts are the same bytes: weak comparison (RFC 9110 §8.8.3.2).
  func hasSameOpaque(_ bytes: Span<UInt8>, quoted: Range<Int>) -> Bool {
    let start = isWeak ? 2 : 0
    return quoted.count == wire.count - start
      && bytes.holds(wire.span.extracting(start...), at: quoted.lowerBound)
  }
}

/// Which tags an If-Match or If-None-Match names, compared while reading.
enum EntityTagList {
  /// Whether the list is `*` or holds `tag`. Reading ends at the first member that is no tag: what came before counts.
  static func matches(_ list: Span<UInt8>, _ tag: EntityTag?, strongly: Bool) -> Bool {
    let all = list.trimmed(0..<list.count)
    if all.count == 1, list[all.lowerBound] == UInt8(ascii: "*") { return true }
    guard let tag else { return false }
    var index = all.lowerBound
    while index < all.upperBound {
      // RFC 9110 §5.6.1: empty members are skipped.
      if list[index] == UInt8(ascii: ",") || list[index].isBlank {
        index += 1
        continue
      }
      guard let member = EntityTag.read(list, in: index..<all.upperBound) else { return false }
      let isComparable = !strongly || !member.isWeak && !tag.isWeak
      if isComparable, tag.hasSameOpaque(list, quoted: member.quoted) { return true }
      index = member.quoted.upperBound
      while index < all.upperBound, list[index].isBlank { index += 1 }
      guard index == all.upperBound || list[index] == UInt8(ascii: ",") else { return false }
    }
    return false
  }
}
