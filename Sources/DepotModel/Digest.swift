internal import FoundationEssentials

/// A hash function a `Digest` can belong to.
public protocol DigestAlgorithm: Sendable {
  /// Bytes in one digest.
  static var byteCount: Int { get }
}

/// MD5 (RFC 1321): told to clients that know nothing better; never the reason bytes are trusted.
public enum MD5: DigestAlgorithm {
  /// 16 bytes.
  public static let byteCount = 16
}

/// SHA-256 (FIPS 180-4): names packages and decides whether bytes are the published ones.
public enum SHA256: DigestAlgorithm {
  /// 32 bytes.
  public static let byteCount = 32
}

/// The digest of some bytes under one algorithm; of exactly the algorithm's length.
public struct Digest<Algorithm: DigestAlgorithm>: Hashable, Sendable, CustomStringConvertible {
  /// The digest, `Algorithm.byteCount` bytes.
  public let bytes: [UInt8]

  /// Nil when there are not exactly `Algorithm.byteCount` bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Algorithm.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Reads hex of either case; nil for any other character or length.
  public init?(hex: String) {
    guard hex.utf8.count == Algorithm.byteCount * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Algorithm.byteCount)
    var high: UInt8?
    for character in hex.utf8 {
      guard let digit = Self.value(ofHexDigit: character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    self.bytes = bytes
  }

  /// Reads base64 with padding (RFC 4648 §4), as `Content-MD5` (RFC 1864) and `Repr-Digest` (RFC 9530) carry it.
  public init?(base64: String) {
    guard let data = Data(base64Encoded: base64) else { return nil }
    self.init(bytes: [UInt8](data))
  }

  /// Lower-case hex.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Base64 with padding.
  public var base64: String { Data(bytes).base64EncodedString() }

  /// The same as `hex`.
  public var description: String { hex }

  private static func value(ofHexDigit character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// An MD5 digest.
public typealias MD5Digest = Digest<MD5>
/// A SHA-256 digest.
public typealias SHA256Digest = Digest<SHA256>
