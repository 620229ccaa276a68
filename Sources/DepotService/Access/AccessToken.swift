internal import DepotModel
internal import Platform

/// A bearer token (RFC 6750): the secret itself, known to its holder alone. The catalogue keeps only its SHA-256.
public struct AccessToken: Sendable {
  /// What the holder sends after `Bearer`.
  public let text: String

  /// A token somebody presents; any text is one, whether it is known or not.
  public init(presented text: String) { self.text = text }

  /// A new one of 256 random bits; nil when the system has no randomness to give. The prefix lets scanners for leaked
  /// secrets recognise it.
  public static func random() -> AccessToken? {
    guard let bytes = Secrets.randomBytes(32), let digest = SHA256Digest(bytes: bytes) else { return nil }
    return AccessToken(presented: "gd_\(digest.hex)")
  }

  /// What the catalogue stores: of a random secret a plain digest tells nothing.
  public var hash: [UInt8] { Hash.digest(of: Array(text.utf8), .sha256) }
}
