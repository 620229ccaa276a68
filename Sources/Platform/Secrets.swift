internal import COpenSSL

/// Random bytes and comparisons that must not tell anything by their timing.
public enum Secrets {
  /// Bytes from OpenSSL's generator; nil if it could not be seeded.
  public static func randomBytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe RAND_bytes(buffer.baseAddress, Int32(count))
    }
    return done == 1 ? bytes : nil
  }

  /// Compares in a time that depends on the lengths alone.
  public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
