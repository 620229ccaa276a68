/// Whether bytes are one JSON text as RFC 8259 writes it, read without recursion.
///
/// Foundation's decoder is more generous: it takes UTF-16, a comma before a closing bracket, and bytes that are no UTF-8
/// in members it does not look at. What two readers take differently must not come in.
package struct JSONGrammar {
  /// How deep brackets may stand in each other; the contract's bodies need four.
  package static let depthLimit = 64

  private let bytes: [UInt8]
  private var index = 0
  /// For each open bracket whether it is an object's.
  private var open: [Bool] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil for a JSON text; else what is wrong, for a person.
  package static func fault(in bytes: [UInt8]) -> String? {
    // RFC 8259 §8.1: UTF-8, and no byte order mark.
    guard String(validating: bytes, as: UTF8.self) != nil else { return "It is not UTF-8." }
    var grammar = JSONGrammar(bytes)
    if grammar.readText() { return nil }
    return grammar.open.count > depthLimit
      ? "It is nested deeper than \(depthLimit) levels."
      : "Byte \(grammar.index) is not what must stand there."
  }

  private mutating func readText() -> Bool {
    guard readValue() else { return false }
    while let isObject = open.last {
      skipBlanks()
      if skip(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
        open.removeLast()
        continue
      }
      guard skip(UInt8(ascii: ",")), !isObject || readName(), readValue() else { return false }
    }
    skipBlanks()
    return index == bytes.count
  }

  /// Reads a value as far as it goes without what stands after the first member of an array or object.
  private mutating func readValue() -> Bool {
    while true {
      skipBlanks()
      guard index < bytes.count else { return false }
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = bytes[index] == UInt8(ascii: "{")
        index += 1
        open.append(isObject)
        guard open.count <= Self.depthLimit else { return false }
        skipBlanks()
        if skip(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          open.removeLast()
          return true
        }
        if isObject, !readName() { return false }
      case UInt8(ascii: "\""): return readString()
      case UInt8(ascii: "t"): return readWord("true")
      case UInt8(ascii: "f"): return readWord("false")
      case UInt8(ascii: "n"): return readWord("null")
      default: return readNumber()
      }
    }
  }

  private mutating func readName() -> Bool {
    skipBlanks()
    guard readString() else { return false }
    skipBlanks()
    return skip(UInt8(ascii: ":"))
  }

  /// RFC 8259 §7: no control characters, and only the escapes there are.
  private mutating func readString() -> Bool {
    guard skip(UInt8(ascii: "\"")) else { return false }
    while index < bytes.count {
      let byte = bytes[index]
      guard byte >= 0x20 else { return false }
      index += 1
      if byte == UInt8(ascii: "\"") { return true }
      guard byte == UInt8(ascii: "\\") else { continue }
      guard index < bytes.count, readEscape() else { return false }
    }
    return false
  }

  private mutating func readEscape() -> Bool {
    index += 1
    switch bytes[index - 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard index + 4 <= bytes.count, bytes[index..<index + 4].allSatisfy(\.isHexDigit) else { return false }
      index += 4
      return true
    default: return false
    }
  }

  /// RFC 8259 §6: number = [ minus ] int [ frac ] [ exp ].
  private mutating func readNumber() -> Bool {
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")), !skipDigits() { return false }
    if skip(UInt8(ascii: ".")), !skipDigits() { return false }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      return skipDigits()
    }
    return true
  }

  private mutating func readWord(_ word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  /// At least one.
  private mutating func skipDigits() -> Bool {
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    return index > start
  }

  private mutating func skipBlanks() {
    while index < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) { index += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
