internal import Platform

/// Takes the cipher off an entry's bytes on their way from the file to the inflater. One thread at a time.
struct EntryDecryption: ~Copyable {
  private var keys: ZipCryptoKeys?
  private var stream: AESStream?
  private let code: [UInt8]

  /// With the code that stands behind the ciphertext, where the cipher has one.
  init(_ keys: DecryptionKeys, code: [UInt8]) throws(ZipError) {
    switch keys {
    case .zipCrypto(let keys):
      self.keys = keys
      stream = nil
    case .aes(let keys):
      guard let stream = AESStream(keys) else { throw .noMemory("decrypt") }
      self.keys = nil
      self.stream = consume stream
    }
    self.code = code
  }

  /// Deciphers the first `count` bytes of `buffer`, which follow those of the call before. With the last of them the
  /// code is compared (AE-1 and AE-2 have one): false when the bytes are not what was written, and then none of
  /// `buffer` may be used.
  mutating func process(_ buffer: inout [UInt8], count: Int, isLast: Bool) -> Bool {
    keys?.decrypt(&buffer, in: 0..<count)
    guard stream != nil else { return true }
    guard stream?.decrypt(&buffer, in: 0..<count) == true else { return false }
    guard isLast, let found = stream.take()?.authenticationCode() else { return true }
    return Secrets.areEqual(found, code)
  }
}

extension Record {
  /// How the bytes are packed beneath the cipher.
  var contentMethod: UInt16 {
    switch encryption {
    case .aes(_, _, let method): method
    case .zipCrypto, nil: method
    }
  }

  /// Of the first packed byte, behind what the cipher puts before it.
  var packedOffset: Int64 { (dataOffset ?? 0) + (encryption?.headLength ?? 0) }

  /// Packed bytes, without what the cipher puts around them.
  var packedSize: Int64 { compressedSize - (encryption?.overhead ?? 0) }

  /// AE-2 keeps no CRC: its code says more.
  var hasCRC: Bool {
    switch encryption {
    case .aes(let version, _, _): version == 1
    case .zipCrypto, nil: true
    }
  }
}

extension ZipError {
  /// 12 is ENOMEM.
  static func noMemory(_ operation: String) -> ZipError {
    .system(SystemError(errno: 12, operation: operation))
  }
}
