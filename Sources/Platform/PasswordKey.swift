internal import COpenSSL

/// Keys made of passwords, by OpenSSL.
public enum PasswordKey {
  /// `count` bytes of PBKDF2 with HMAC-SHA1 (RFC 8018 §5.2). Slow on purpose: `rounds` times two SHA-1 for each 20 bytes.
  /// Nil when OpenSSL has no memory, or for numbers it cannot take.
  public static func derive(password: [UInt8], salt: [UInt8], rounds: Int, count: Int) -> [UInt8]? {
    guard let passwordCount = Int32(exactly: password.count), let saltCount = Int32(exactly: salt.count),
      let rounds = Int32(exactly: rounds), rounds > 0, let keyCount = Int32(exactly: count), keyCount > 0
    else { return nil }
    var key = [UInt8](repeating: 0, count: count)
    let done = unsafe password.withUnsafeBufferPointer { password in
      unsafe password.withMemoryRebound(to: CChar.self) { password in
        unsafe key.withUnsafeMutableBufferPointer { key in
          // OpenSSL measures a password that is not there by itself when the length is -1 only.
          unsafe PKCS5_PBKDF2_HMAC(
            password.baseAddress, passwordCount, salt, saltCount, rounds, EVP_sha1(), keyCount,
            key.baseAddress)
        }
      }
    }
    return done == 1 ? key : nil
  }
}
