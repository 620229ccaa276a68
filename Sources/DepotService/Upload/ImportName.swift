/// A file name read as `<gameId>-<h5Version>`: the version begins at the first dash before a dotted number, else at the
/// last dash before a digit, else at the last dash.
struct ImportName: Hashable {
  let id: String
  let version: String

  init(_ name: String) {
    let dashes = name.indices.filter { name[$0] == "-" }
    let split =
      dashes.first { Self.isDottedNumber(name[name.index(after: $0)...]) }
      ?? dashes.last { Self.withoutLetter(name[name.index(after: $0)...]).first?.isNumber == true }
      ?? dashes.last
    guard let split else {
      id = name
      version = ""
      return
    }
    id = String(name[..<split])
    version = String(name[name.index(after: split)...])
  }

  private static func isDottedNumber(_ text: Substring) -> Bool {
    let text = withoutLetter(text)
    let digits = text.prefix { $0.isNumber }
    let rest = text.dropFirst(digits.count)
    return !digits.isEmpty && rest.first == "." && rest.dropFirst().first?.isNumber == true
  }

  /// `v1.0` is a number too.
  private static func withoutLetter(_ text: Substring) -> Substring {
    text.first == "v" || text.first == "V" ? text.dropFirst() : text
  }
}
