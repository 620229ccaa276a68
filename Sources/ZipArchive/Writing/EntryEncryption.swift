internal import Platform

/// Puts the cipher on an entry's bytes on their way from the deflater to the archive. One thread at a time.
struct EntryEncryption: ~Copyable {
  /// What stands before the entry's own bytes.
  let head: [UInt8]
  private var keys: ZipCryptoKeys?
  private var stream: AESStream?

  /// With a salt, or a header, of its own. `check` tells a wrong password where the cipher is ZipCrypto (APPNOTE 6.1.6).
  init(_ encryption: Encryption, _ password: Password, check: UInt8) throws(ZipWriteError) {
    switch encryption {
    case .zipCrypto:
      var keys = ZipCryptoKeys(password: password.bytes)
      guard let head = keys.header(check: check) else { throw Self.failure("random header") }
      self.head = head
      self.keys = keys
      stream = nil
    case .aes(_, let strength, _):
      guard let strength = WinZipAES.Strength(rawValue: strength),
        let salt = Secrets.randomBytes(strength.saltLength),
        let keys = WinZipAES.Keys(password: password.bytes, salt: salt, strength: strength),
        let stream = AESStream(keys)
      else { throw Self.failure("make a key") }
      head = salt + keys.verifier
      self.keys = nil
      self.stream = consume stream
    }
  }

  /// Enciphers the first `count` bytes of `buffer`, which follow those of the call before.
  mutating func process(_ buffer: inout [UInt8], count: Int) throws(ZipWriteError) {
    keys?.encrypt(&buffer, in: 0..<count)
    guard stream != nil else { return }
    guard stream?.encrypt(&buffer, in: 0..<count) == true else { throw Self.failure("encrypt") }
  }

  /// What stands behind the entry's bytes; nothing may be enciphered afterwards.
  mutating func tail() -> [UInt8] { stream.take()?.authenticationCode() ?? [] }

  /// 12 is ENOMEM: OpenSSL fails for no other reason here.
  private static func failure(_ operation: String) -> ZipWriteError {
    .cannotWrite(SystemError(errno: 12, operation: operation))
  }
}
