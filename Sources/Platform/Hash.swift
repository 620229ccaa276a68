internal import COpenSSL

/// A running digest by OpenSSL. One thread at a time.
@safe public struct Hash: ~Copyable, Sendable {
  /// The functions this project uses.
  public enum Function: Sendable { case md5, sha1, sha256 }

  // Owned: freed in deinit, never shared, so it may move between threads with its owner.
  private nonisolated(unsafe) let context: OpaquePointer?

  /// Begins a digest of no bytes.
  public init(_ function: Function) {
    unsafe context = EVP_MD_CTX_new()
    let algorithm =
      switch function {
      case .md5: unsafe EVP_md5()
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      }
    _ = unsafe EVP_DigestInit_ex(context, algorithm, nil)
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Takes in more bytes.
  public mutating func update(_ bytes: borrowing Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }
  }

  /// Takes in the first `count` bytes of `bytes`.
  public mutating func update(_ bytes: [UInt8], count: Int) {
    update(bytes.span.extracting(first: count))
  }

  /// Takes in all of `bytes`.
  public mutating func update(_ bytes: [UInt8]) {
    update(bytes.span)
  }

  /// The digest: 16 bytes for MD5, 20 for SHA-1, 32 for SHA-256.
  public consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    unsafe digest.withUnsafeMutableBufferPointer { buffer in
      _ = unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, &count)
    }
    digest.removeLast(digest.count - Int(count))
    return digest
  }

  /// The digest of `bytes` in one call.
  public static func digest(of bytes: [UInt8], _ function: Function) -> [UInt8] {
    var hash = Hash(function)
    hash.update(bytes)
    return hash.finish()
  }
}
