internal import DepotModel
internal import Platform

/// What names a resumable upload in its URL: 128 random bits, 32 hex digits. Nobody guesses it.
struct UploadID: Hashable, Sendable, CustomStringConvertible {
  let text: String

  /// Nil for anything else.
  init?(_ text: String) {
    guard text == text.lowercased(), MD5Digest(hex: text) != nil else { return nil }
    self.text = text
  }

  /// A new one; nil when the system has no randomness to give.
  static func random() -> UploadID? {
    Secrets.randomBytes(16).flatMap { MD5Digest(bytes: $0)?.hex }.flatMap { UploadID($0) }
  }

  var description: String { text }
}
