import MirrorClient

/// Where a sync takes its games from.
enum SyncOrigin: Sendable {
  /// Asked in order; at least one.
  case depots([DepotServer])
  /// The folder of a mirror, or a file that was exported.
  case carried(String)

  static let syntax = "an http or https URL without user and password, or a file:// URL"

  /// Whether that is what is meant, right or wrong.
  static func isFileURL(_ text: String) -> Bool { text.prefix(5).lowercased() == "file:" }

  /// RFC 8089 §2: an absolute path without a host, or with `localhost`; percent-encoded. Nil for anything else.
  static func path(ofFileURL text: String) -> String? {
    guard isFileURL(text) else { return nil }
    var rest = text.dropFirst(5)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    }
    guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { return nil }
    var bytes: [UInt8] = []
    var left = rest.utf8[...]
    while let byte = left.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard left.count >= 2, let value = UInt8(String(Substring(left.prefix(2))), radix: 16), value != 0
      else {
        return nil
      }
      bytes.append(value)
      left = left.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
