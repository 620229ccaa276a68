/// How an entry is encrypted: what its header says, without a password.
enum Encryption: Hashable, Sendable {
  /// APPNOTE 6.1.
  case zipCrypto
  /// WinZip's AE-1 and AE-2; strength 1…3 is 128, 192, 256 bits.
  case aes(version: UInt16, strength: UInt8, method: UInt16)

  /// WinZip's field: version, vendor "AE", strength, the real method. Nil when it is not one.
  init?(aesField field: [UInt8]?) {
    guard let field, field.count == 7, field[2] == UInt8(ascii: "A"), field[3] == UInt8(ascii: "E") else {
      return nil
    }
    let (version, strength) = (field.uint16(at: 0), field[4])
    guard (1...2).contains(version), (1...3).contains(strength) else { return nil }
    self = .aes(version: version, strength: strength, method: field.uint16(at: 5))
  }

  /// Bytes it puts before the compressed ones: a header of 12; or salt and verifier of 2.
  var headLength: Int64 {
    switch self {
    case .zipCrypto: 12
    case .aes(_, let strength, _): Int64(strength) * 4 + 4 + 2
    }
  }

  /// Bytes it adds to the compressed ones: a header of 12; or salt, verifier of 2 and code of 10.
  var overhead: Int64 {
    switch self {
    case .zipCrypto: 12
    case .aes(_, let strength, _): Int64(strength) * 4 + 4 + 12
    }
  }

  var name: String {
    switch self {
    case .zipCrypto: "ZipCrypto"
    case .aes(let version, let strength, _): "AES-\(64 + Int(strength) * 64) (AE-\(version))"
    }
  }
}
