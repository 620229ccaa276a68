internal import COpenSSL

/// AES in counter mode (NIST SP 800-38A §6.5), the counter little-endian and from 1 on as WinZip has it; by OpenSSL, whose
/// own counter mode is big-endian. Enciphering and deciphering are the same. One thread at a time.
@safe public struct CounterCipher: ~Copyable, Sendable {
  /// Bytes of key stream made at once.
  private static let stretch = 4096
  private static let blockSize = 16

  // Owned: freed in deinit, never shared, so it may move between threads with its owner.
  private nonisolated(unsafe) let context: OpaquePointer
  private var counter: UInt64 = 1
  private var keyStream: [UInt8]
  /// Of `keyStream`, the bytes that are used up.
  private var used = Self.stretch

  /// `key` is 16, 24 or 32 bytes for AES-128, 192 or 256; nil for another length, or when OpenSSL has no memory.
  public init?(key: [UInt8]) {
    let algorithm: OpaquePointer?
    switch key.count {
    case 16: unsafe algorithm = EVP_aes_128_ecb()
    case 24: unsafe algorithm = EVP_aes_192_ecb()
    case 32: unsafe algorithm = EVP_aes_256_ecb()
    default: return nil
    }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
    guard unsafe EVP_EncryptInit_ex(context, algorithm, nil, key, nil) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else {
      unsafe EVP_CIPHER_CTX_free(context)
      return nil
    }
    unsafe self.context = unsafe context
    keyStream = [UInt8](repeating: 0, count: Self.stretch)
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Enciphers or deciphers the bytes of `range`, which lies within `buffer`, and goes on where the last call ended.
  /// False when OpenSSL failed: the bytes are worth nothing then.
  public mutating func process(_ buffer: inout [UInt8], in range: Range<Int>) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= buffer.count else { return false }
    var place = range.lowerBound
    while place < range.upperBound {
      if used == Self.stretch, !refill() { return false }
      let count = min(range.upperBound - place, Self.stretch - used)
      let (start, used) = (place, used)
      unsafe buffer.withUnsafeMutableBufferPointer { bytes in
        unsafe keyStream.withUnsafeBufferPointer { keys in
          for index in 0..<count { unsafe bytes[start + index] ^= keys[used + index] }
        }
      }
      place += count
      self.used += count
    }
    return true
  }

  private mutating func refill() -> Bool {
    for block in stride(from: 0, to: Self.stretch, by: Self.blockSize) {
      for byte in 0..<8 {
        keyStream[block + byte] = UInt8(truncatingIfNeeded: counter >> UInt64(byte * 8))
        keyStream[block + 8 + byte] = 0
      }
      counter &+= 1
    }
    used = 0
    let context = unsafe context
    return unsafe keyStream.withUnsafeMutableBufferPointer { blocks in
      var count: Int32 = 0
      return unsafe EVP_EncryptUpdate(
        context, blocks.baseAddress, &count, blocks.baseAddress, Int32(blocks.count)) == 1
    }
  }
}
