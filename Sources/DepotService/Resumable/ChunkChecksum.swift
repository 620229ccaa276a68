internal import DepotModel
internal import HTTPWire
internal import Platform
internal import ReadAPI

/// `Upload-Checksum` of tus: what the bytes of one PATCH must hash to. One task at a time.
final class ChunkChecksum {
  static let algorithms = "sha1,sha256,md5"

  private let expected: [UInt8]
  private let function: Hash.Function
  private var hash: Hash

  /// Nil when none was sent; throws `bad-field` for one of an algorithm that is not known here, or of another length.
  init?(_ request: HTTPRequest) throws(Problem) {
    let values = request.values(of: "Upload-Checksum")
    guard let text = values.first else { return nil }
    let words = text.split(separator: " ")
    guard values.count == 1, words.count == 2, let (function, count) = Self.function(words[0]),
      let digest = Base64.decode(String(words[1])), digest.count == count
    else {
      throw .badField(
        "Upload-Checksum", "Upload-Checksum must be one of \(Self.algorithms) and the digest in base64."
      ).closingConnection()
    }
    self.function = function
    expected = digest
    hash = Hash(function)
  }

  private static func function(_ name: Substring) -> (Hash.Function, Int)? {
    switch name {
    case "sha1": (.sha1, 20)
    case "sha256": (.sha256, 32)
    case "md5": (.md5, 16)
    default: nil
    }
  }

  func update(_ bytes: [UInt8]) { hash.update(bytes) }

  /// To be asked once, after all bytes.
  func isRight() -> Bool {
    var last = Hash(function)
    swap(&hash, &last)
    return last.finish() == expected
  }
}
