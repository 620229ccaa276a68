import ZipArchive

/// How `ZipEntry.encrypted(_:password:)` enciphers.
public enum TestCipher: Sendable, Hashable, CustomStringConvertible {
  /// APPNOTE 6.1.
  case zipCrypto
  /// WinZip's, of 128, 192 or 256 bits; version 1 keeps the CRC, 2 does not.
  case aes(bits: Int, version: Int)

  /// All that there are.
  public static let all: [TestCipher] =
    [.zipCrypto] + [128, 192, 256].flatMap { bits in [1, 2].map { .aes(bits: bits, version: $0) } }

  /// For the names of tests.
  public var description: String {
    switch self {
    case .zipCrypto: "ZipCrypto"
    case .aes(let bits, let version): "AES-\(bits) AE-\(version)"
    }
  }
}

extension ZipEntry {
  /// The same entry encrypted. A descriptor and a time must be set before: ZipCrypto's check byte comes of them. The same
  /// bytes every time: what should be random comes of the name.
  public func encrypted(_ cipher: TestCipher, password: String) -> ZipEntry {
    switch cipher {
    case .zipCrypto: withZipCrypto(Array(password.utf8))
    case .aes(let bits, let version): withAES(Array(password.utf8), bits: bits, version: version)
    }
  }

  /// Stand-ins for random bytes.
  private func salt(_ count: Int) -> [UInt8] {
    let seed = Int(CRC32.value(of: name))
    return (0..<count).map { UInt8(truncatingIfNeeded: (seed &+ $0) &* 2_654_435_761 >> 11) }
  }

  private func withZipCrypto(_ password: [UInt8]) -> ZipEntry {
    var keys = ZipCryptoKeys(password: password)
    let check = hasDescriptor ? UInt8(truncatingIfNeeded: time >> 8) : UInt8(truncatingIfNeeded: crc32 >> 24)
    var header = salt(ZipCryptoKeys.headerLength - 1) + [check]
    keys.encrypt(&header, in: header.indices)
    var packed = payload
    keys.encrypt(&packed, in: packed.indices)
    return with {
      $0.flags |= 1
      $0.payload = header + packed
      $0.compressedSize += header.count
    }
  }

  private func withAES(_ password: [UInt8], bits: Int, version: Int) -> ZipEntry {
    var packed = payload
    let strength = UInt8((bits - 64) / 64)
    guard let strength = WinZipAES.Strength(rawValue: strength),
      let keys = WinZipAES.Keys(password: password, salt: salt(strength.saltLength), strength: strength),
      var stream = AESStream(keys), stream.encrypt(&packed, in: 0..<packed.count)
    else { return self }
    let code = stream.authenticationCode()
    let before = salt(strength.saltLength) + keys.verifier
    let field =
      LittleEndian.bytes(0x9901, 2) + LittleEndian.bytes(7, 2) + LittleEndian.bytes(version, 2)
      + Array("AE".utf8) + [strength.rawValue] + LittleEndian.bytes(method, 2)
    return with {
      $0.flags |= 1
      $0.method = 99
      if version == 2 { $0.crc32 = 0 }
      $0.extra += field
      $0.localExtra += field
      $0.payload = before + packed + code
      $0.compressedSize += before.count + code.count
    }
  }
}
