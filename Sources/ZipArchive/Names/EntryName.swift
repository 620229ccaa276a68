/// An entry's name, decoded and cleaned: UTF-8 NFC, `/` as the separator, no `./` in front, no `/` behind.
///
/// Decoding comes before splitting: in GBK and Shift_JIS the second byte of a character can be 0x5C, a backslash.
struct EntryName {
  /// Empty for the entry `./` and for an entry without a name.
  let path: String
  /// It ended with a separator.
  let isFolder: Bool

  /// `converter` reads the names that neither bit 11 nor a Unicode Path field decides.
  init(_ header: CentralHeader, _ converter: NameConverter, _ findings: inout FindingList) {
    let text: String
    switch Self.decode(header, converter) {
    case .text(let decoded): text = decoded
    case .unreadable(let why):
      text = Self.shown(header.name)
      findings.add(.nameEncoding, path: text, why)
      self.init(path: text, isFolder: header.name.last == UInt8(ascii: "/"))
      return
    }
    self.init(cleaning: text, &findings)
  }

  init(cleaning text: String, _ findings: inout FindingList) {
    var name = text.composed
    if name.utf8.contains(UInt8(ascii: "\\")) {
      name = String(
        decoding: name.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
      findings.add(.backslash, path: text, "backslashes separate the folders; read as \(name)")
    }
    if name.utf8.starts(with: "./".utf8) {
      findings.add(.dotPrefix, path: text, "it begins with ./, which is left out")
      name = String(name.dropFirst(2))
    }
    let isFolder = name.utf8.last == UInt8(ascii: "/") || name.isEmpty && !text.isEmpty
    self.init(path: isFolder && name.utf8.count > 1 ? String(name.dropLast()) : name, isFolder: isFolder)
  }

  private init(path: String, isFolder: Bool) {
    self.path = path
    self.isFolder = isFolder
  }

  private enum Decoded {
    case text(String)
    case unreadable(String)
  }

  private static func isFlaggedUTF8(_ header: CentralHeader) -> Bool { header.flags & 1 << 11 != 0 }

  /// Neither bit 11 nor a Unicode Path field tells how the name is encoded.
  static func isUndecided(_ header: CentralHeader) -> Bool {
    !isFlaggedUTF8(header) && unicodePath(header.extra.unicodePath, for: header.name) == nil
  }

  private static func decode(_ header: CentralHeader, _ converter: NameConverter) -> Decoded {
    let unicode = unicodePath(header.extra.unicodePath, for: header.name)
    // APPNOTE appendix D: bit 11 says UTF-8 …
    if isFlaggedUTF8(header) {
      guard let text = String(validating: header.name, as: UTF8.self) else {
        return .unreadable("the name is flagged as UTF-8 (bit 11) and is not")
      }
      if let unicode, unicode != header.name {
        return .unreadable(
          "the name is flagged as UTF-8, and a Unicode path beside it says \(shown(unicode))")
      }
      return .text(text)
    }
    // … else a Unicode Path field whose CRC is that of this name (4.6.9) …
    if let unicode {
      guard let path = String(validating: unicode, as: UTF8.self) else {
        return .unreadable("the Unicode path is not UTF-8")
      }
      return .text(path)
    }
    // … else what was found out for the whole archive, or told.
    guard let text = converter.text(of: header.name) else {
      return .unreadable(
        "the name is not \(converter.encoding.rawValue), as which the archive's names are read")
    }
    return .text(text)
  }

  /// The bytes of a Unicode Path field (version 1, CRC-32 of the header's name, name) that is for this very name.
  static func unicodePath(_ field: [UInt8]?, for name: [UInt8]) -> [UInt8]? {
    guard let field, field.count >= 5, field[0] == 1, field.uint32(at: 1) == CRC32.value(of: name) else {
      return nil
    }
    return Array(field[5...])
  }

  /// For messages: text where it is UTF-8, bytes that are not as `\xHH`.
  static func shown(_ name: [UInt8]) -> String {
    if let text = String(validating: name, as: UTF8.self) { return text.printable }
    return name.reduce(into: "") { text, byte in
      if (0x20..<0x7F).contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }
}
