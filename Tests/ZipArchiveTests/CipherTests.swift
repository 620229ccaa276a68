import TestSupport
import Testing

@testable import ZipArchive

private func bytes(_ hex: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var digits = hex.filter { $0 != " " }[...]
  while let byte = UInt8(digits.prefix(2), radix: 16) {
    bytes.append(byte)
    digits = digits.dropFirst(2)
  }
  return bytes
}

@Suite struct ZipCryptoKeysTests {
  private static let text = Array("The quick brown fox jumps over the lazy dog".utf8)

  @Test(arguments: ["", "secret", "пароль", String(repeating: "long ", count: 100)])
  func opensWhatItClosed(password: String) {
    var keys = ZipCryptoKeys(password: Array(password.utf8))
    var sealed = Self.text
    keys.encrypt(&sealed, in: sealed.indices)
    #expect(sealed != Self.text)
    keys = ZipCryptoKeys(password: Array(password.utf8))
    keys.decrypt(&sealed, in: sealed.indices)
    #expect(sealed == Self.text)
  }

  @Test func doesNotDependOnHowTheBytesCome() {
    var whole = Self.text
    var keys = ZipCryptoKeys(password: [1, 2, 3])
    keys.encrypt(&whole, in: whole.indices)
    var pieces = Self.text
    var others = ZipCryptoKeys(password: [1, 2, 3])
    for index in pieces.indices { others.encrypt(&pieces, in: index..<index + 1) }
    #expect(pieces == whole && others == keys)
  }

  @Test func makesAHeaderThatTellsItsCheckByte() throws {
    var keys = ZipCryptoKeys(password: [7])
    let made = keys.header(check: 0xC3)
    let header = try #require(made)
    #expect(header.count == 12)
    var again = ZipCryptoKeys(password: [7])
    let check = again.check(of: header)
    #expect(check == 0xC3 && again == keys)
    var others = ZipCryptoKeys(password: [7])
    let other = others.header(check: 0xC3)
    #expect(other != header, "its other bytes are random")
  }

  /// `zip -P secret -0` (Info-ZIP 3.0) of a file "hello\n" last changed at 0x06AE in DOS's count.
  @Test func agreesWithInfoZIP() {
    var keys = ZipCryptoKeys(password: Array("secret".utf8))
    let check = keys.check(of: bytes("1fc1b2f2 4bdd7a29 d5563e62"))
    #expect(check == 0x06)
    var content = bytes("90cdefb0 ac15")
    keys.decrypt(&content, in: content.indices)
    #expect(content == Array("hello\n".utf8))
  }
}

@Suite struct WinZipAESTests {
  @Test(arguments: WinZipAES.Strength.allCases) func opensWhatItClosed(strength: WinZipAES.Strength) throws {
    let salt = [UInt8](repeating: 9, count: strength.saltLength)
    let keys = try #require(WinZipAES.Keys(password: [1, 2], salt: salt, strength: strength))
    let plain = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    var buffer = plain
    var code: [UInt8] = []
    if var stream = AESStream(keys), stream.encrypt(&buffer, in: 0..<5),
      stream.encrypt(&buffer, in: 5..<10_000)
    {
      code = stream.authenticationCode()
    }
    #expect(buffer != plain && code.count == 10)
    var found: [UInt8] = []
    if var stream = AESStream(keys), stream.decrypt(&buffer, in: 0..<777),
      stream.decrypt(&buffer, in: 777..<10_000)
    {
      found = stream.authenticationCode()
    }
    #expect(buffer == plain && found == code)
  }

  @Test(arguments: WinZipAES.Strength.allCases) func makesOtherKeysForOtherSaltsAndPasswords(
    strength: WinZipAES.Strength
  ) throws {
    let salt = [UInt8](repeating: 9, count: strength.saltLength)
    let keys = try #require(WinZipAES.Keys(password: [1], salt: salt, strength: strength))
    let other = try #require(WinZipAES.Keys(password: [2], salt: salt, strength: strength))
    let third = try #require(WinZipAES.Keys(password: [1], salt: salt.map { $0 + 1 }, strength: strength))
    #expect(keys.cipherKey.count == strength.keyLength && keys.codeKey.count == strength.keyLength)
    #expect(keys.verifier.count == 2)
    #expect(keys.cipherKey != other.cipherKey && keys.cipherKey != third.cipherKey)
    #expect(keys.cipherKey != keys.codeKey)
    let misfit = WinZipAES.Keys(password: [1], salt: salt + [0], strength: strength)
    #expect(misfit == nil)
  }
}
