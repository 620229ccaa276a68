internal import COpenSSL

/// A running HMAC-SHA1 (RFC 2104) by OpenSSL. One thread at a time.
@safe public struct MessageCode: ~Copyable, Sendable {
  // Owned: freed in deinit, never shared, so it may move between threads with its owner.
  private nonisolated(unsafe) let context: OpaquePointer

  /// Begins the code of no bytes; nil when OpenSSL has no memory.
  public init?(key: [UInt8]) {
    let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
    // The context holds on to it.
    defer { unsafe EVP_MAC_free(algorithm) }
    guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
    guard unsafe copenssl_begin_hmac_sha1(context, key, key.count) == 1 else {
      unsafe EVP_MAC_CTX_free(context)
      return nil
    }
    unsafe self.context = unsafe context
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// Takes in more bytes.
  public mutating func update(_ bytes: borrowing Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      _ = unsafe EVP_MAC_update(context, bytes.baseAddress, bytes.count)
    }
  }

  /// The code: 20 bytes.
  public consuming func finish() -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 20)
    var count = 0
    unsafe code.withUnsafeMutableBufferPointer { buffer in
      _ = unsafe EVP_MAC_final(context, buffer.baseAddress, &count, buffer.count)
    }
    return code
  }
}
