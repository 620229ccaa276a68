internal import COpenSSL
internal import Glibc

/// What must be known of a certificate before it is served.
struct LeafCertificate {
  let path: String
  /// The names it is for, as the extension has them (RFC 5280 §4.2.1.6); empty without the extension.
  let names: [UInt8]
  /// OpenSSL's number for the kind of its key.
  let keyKind: Int32
  /// Seconds since 1970.
  let expires: Int64

  /// Reads the first certificate of a PEM file.
  init(path: String) throws(TLSError) {
    guard let file = unsafe BIO_new_file(path, "r") else {
      let code = errno
      ERR_clear_error()
      throw .unreadable(SystemError(errno: code, operation: "open", path: path))
    }
    defer { unsafe BIO_free_all(file) }
    guard let certificate = unsafe PEM_read_bio_X509(file, nil, nil, nil) else {
      throw .certificate(path: path, reason: TLSError.lastReason())
    }
    defer { unsafe X509_free(certificate) }
    self.path = path
    names = unsafe Self.names(of: certificate)
    keyKind = unsafe EVP_PKEY_get_base_id(X509_get0_pubkey(certificate))
    var time = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else {
      throw .certificate(path: path, reason: "its end cannot be read")
    }
    unsafe expires = Int64(timegm(&time))
  }

  private static func names(of certificate: OpaquePointer) -> [UInt8] {
    let index = unsafe X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
    guard index >= 0, let found = unsafe X509_get_ext(certificate, index),
      let value = unsafe X509_EXTENSION_get_data(found), let bytes = unsafe ASN1_STRING_get0_data(value)
    else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(value))))
  }
}
