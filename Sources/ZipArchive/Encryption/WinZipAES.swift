internal import Platform

/// WinZip's AES encryption of entries (https://www.winzip.com/en/support/aes-encryption/): salt, verifier, ciphertext, code.
package enum WinZipAES {
  /// How long the key is.
  package enum Strength: UInt8, Sendable, Hashable, CaseIterable {
    case bits128 = 1
    case bits192 = 2
    case bits256 = 3

    /// Bytes of the key for the cipher, and as many for the code.
    package var keyLength: Int { 8 + 8 * Int(rawValue) }
    /// Bytes before the verifier.
    package var saltLength: Int { keyLength / 2 }
    /// Bytes before the ciphertext: salt and verifier.
    package var headerLength: Int { saltLength + WinZipAES.verifierLength }
  }

  /// Bytes that tell a wrong password but for one in 65,536.
  package static let verifierLength = 2
  /// Bytes behind the ciphertext.
  package static let codeLength = 10
  static let rounds = 1000

  /// What a password and an entry's salt make: some milliseconds of work.
  package struct Keys: Sendable {
    private let bytes: [UInt8]
    let strength: Strength

    /// `salt` has the length that goes with `strength`. Nil when it has not, or without memory.
    package init?(password: [UInt8], salt: [UInt8], strength: Strength) {
      guard salt.count == strength.saltLength,
        let bytes = PasswordKey.derive(
          password: password, salt: salt, rounds: WinZipAES.rounds,
          count: strength.keyLength * 2 + WinZipAES.verifierLength)
      else { return nil }
      self.bytes = bytes
      self.strength = strength
    }

    /// As `saved` had them: all but the verifier.
    init(saved: ArraySlice<UInt8>, strength: Strength) {
      bytes = Array(saved)
      self.strength = strength
    }

    /// What the cipher and the code need.
    var saved: ArraySlice<UInt8> { bytes[..<Self.savedLength(strength)] }
    static func savedLength(_ strength: Strength) -> Int { strength.keyLength * 2 }

    var cipherKey: [UInt8] { Array(bytes[..<strength.keyLength]) }
    var codeKey: [UInt8] { Array(bytes[strength.keyLength..<Self.savedLength(strength)]) }
    /// Stands behind the salt.
    package var verifier: [UInt8] { Array(bytes[Self.savedLength(strength)...]) }
  }
}

/// Enciphers or deciphers one entry and makes the code of its ciphertext on the way. One thread at a time.
package struct AESStream: ~Copyable, Sendable {
  private var cipher: CounterCipher
  private var code: MessageCode

  /// At the first byte of an entry; nil when OpenSSL has no memory.
  package init?(_ keys: WinZipAES.Keys) {
    guard let code = MessageCode(key: keys.codeKey), let cipher = CounterCipher(key: keys.cipherKey) else {
      return nil
    }
    self.code = code
    self.cipher = cipher
  }

  /// Deciphers the bytes of `range`, which lies within `buffer`. False when OpenSSL failed.
  package mutating func decrypt(_ buffer: inout [UInt8], in range: Range<Int>) -> Bool {
    guard range.upperBound <= buffer.count else { return false }
    code.update(buffer.span.extracting(range))
    return cipher.process(&buffer, in: range)
  }

  /// Enciphers the bytes of `range`, which lies within `buffer`. False when OpenSSL failed.
  package mutating func encrypt(_ buffer: inout [UInt8], in range: Range<Int>) -> Bool {
    guard cipher.process(&buffer, in: range) else { return false }
    code.update(buffer.span.extracting(range))
    return true
  }

  /// Of all the ciphertext: what stands behind it. 10 bytes.
  package consuming func authenticationCode() -> [UInt8] {
    Array(code.finish().prefix(WinZipAES.codeLength))
  }
}
