/// The alphabet that ids, versions and channel names share.
enum Identifier {
  static func isValid(_ text: String, maximumLength: Int, allowsPlus: Bool) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= maximumLength, isAlphanumeric(first) else { return false }
    return bytes.allSatisfy { byte in
      isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: "-")
        || (allowsPlus && byte == UInt8(ascii: "+"))
    }
  }

  /// Byte order, which is also SQLite's BINARY collation: pages of a listing follow it.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
