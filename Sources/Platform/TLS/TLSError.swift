internal import COpenSSL
internal import Glibc

/// Why a server cannot speak TLS with what it was given.
public enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No certificate was named.
  case noCertificate
  /// A file cannot be read.
  case unreadable(SystemError)
  /// A file holds no certificate chain in PEM form.
  case certificate(path: String, reason: String)
  /// A file holds no private key in PEM form, or one that does not belong to its certificate.
  case key(path: String, reason: String)
  /// OpenSSL refuses a setting or has no memory.
  case library(reason: String)

  /// For a person: what is wrong with which file.
  public var description: String {
    switch self {
    case .noCertificate: "TLS needs a certificate and its key"
    case .unreadable(let error): error.description
    case .certificate(let path, let reason): "certificate \(path): \(reason)"
    case .key(let path, let reason): "private key \(path): \(reason)"
    case .library(let reason): "OpenSSL: \(reason)"
    }
  }

  /// What OpenSSL says of this thread's last failure; its queue of errors is empty then.
  static func lastReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return "unknown reason" }
    guard let text = unsafe ERR_reason_error_string(code) else { return "error \(String(code, radix: 16))" }
    return unsafe String(cString: text)
  }
}
