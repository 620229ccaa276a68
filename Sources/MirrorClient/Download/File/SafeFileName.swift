internal import HTTPClient

/// The name of one file, made of what somebody else suggests: it stays in its folder, can be seen, and can stand on every
/// file system.
enum SafeFileName {
  /// Bytes a name may have (NAME_MAX), less what a number or a suffix of ours may add.
  static let limit = 240
  /// When nothing usable is suggested.
  static let fallback = "download"

  /// Nil when nothing of the suggestion is left.
  static func make(from suggestion: String) -> String? {
    // RFC 6266 §4.3: only the last component counts, whichever system's slashes these are.
    let last = suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
      .last
    var scalars = String.UnicodeScalarView()
    for scalar in last ?? Substring("").unicodeScalars { if let kept = kept(scalar) { scalars.append(kept) } }
    var name = scalars[...]
    // Windows drops these at the end; in front, a dot hides the file, and makes `.` and `..`.
    while let first = name.first, first == " " || first == "." { name.removeFirst() }
    while let last = name.last, last == " " || last == "." { name.removeLast() }
    guard !name.isEmpty else { return nil }
    let text = shortened(String(name))
    return isReserved(text) ? "_\(text)" : text
  }

  /// The name for what is at `url`: the last part of its path, or `fallback`.
  static func make(from url: WebURL) -> String {
    let path = url.text.split(separator: "://", maxSplits: 1).last ?? ""
    let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last, let bytes = PercentCoding.decode(String(last)) else {
      return fallback
    }
    return make(from: String(decoding: bytes, as: UTF8.self)) ?? fallback
  }

  private static func kept(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.properties.generalCategory {
    // Invisible, some of them turn the text around them: `gpj.exe` must not read `exe.jpg`.
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return nil
    case .spaceSeparator: return " "
    default: return "<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar
    }
  }

  /// At most `limit` bytes, the extension kept.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var suffix = ""
    if let dot = name.lastIndex(of: "."), name[dot...].utf8.count <= 16 { suffix = String(name[dot...]) }
    var stem = name.unicodeScalars.dropLast(suffix.unicodeScalars.count)
    while String(stem).utf8.count + suffix.utf8.count > limit { stem.removeLast() }
    return String(stem) + suffix
  }

  /// Windows opens a device under these, whatever extension follows.
  private static func isReserved(_ name: String) -> Bool {
    let stem = name.prefix { $0 != "." }.uppercased()
    if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
    return stem.utf8.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT"))
      && stem.last?.isNumber == true
  }
}
