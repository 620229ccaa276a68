import COpenSSL
public import Platform

/// A certificate that signs itself, good for a day, and its key, as files.
public struct TestCertificate {
  /// The kind of its key.
  public enum Kind { case ecdsa, rsa }

  /// Where they are.
  public let files: TLSContext.CertificateFiles

  /// Makes both in a folder. The first name is the common name too; a password encrypts the key.
  public init(
    in folder: TemporaryFolder, names: [String], kind: Kind = .ecdsa, daysLeft: Int = 1,
    password: String? = nil
  ) throws {
    let stem = "\(folder.path)/\(names[0].replacing("*", with: "any"))-\(kind)"
    files = .init(certificate: stem + ".crt", key: stem + ".key")
    let key = try unsafe Self.newKey(kind)
    defer { unsafe EVP_PKEY_free(key) }
    guard let certificate = unsafe X509_new() else { throw Failure() }
    defer { unsafe X509_free(certificate) }
    unsafe X509_set_version(certificate, 2)
    unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
    unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -7 * 86_400)
    unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), daysLeft * 86_400)
    let subject = unsafe X509_get_subject_name(certificate)
    unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, names[0], -1, -1, 0)
    unsafe X509_set_issuer_name(certificate, subject)
    unsafe X509_set_pubkey(certificate, key)
    let list = names.map { ($0.allSatisfy { $0.isNumber || $0 == "." } ? "IP:" : "DNS:") + $0 }
    let alternatives = unsafe X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, list.joined(separator: ","))
    defer { unsafe X509_EXTENSION_free(alternatives) }
    unsafe X509_add_ext(certificate, alternatives, -1)
    guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else { throw Failure() }
    try unsafe Self.write(to: files.certificate) { unsafe PEM_write_bio_X509($0, certificate) }
    try unsafe Self.write(to: files.key) {
      unsafe PEM_write_bio_PrivateKey(
        $0, key, password == nil ? nil : EVP_aes_128_cbc(), password, Int32(password?.utf8.count ?? 0), nil,
        nil)
    }
  }

  private struct Failure: Error {}

  private static func newKey(_ kind: Kind) throws -> OpaquePointer {
    let number = kind == .rsa ? EVP_PKEY_RSA : EVP_PKEY_EC
    guard let maker = unsafe EVP_PKEY_CTX_new_id(number, nil) else { throw Failure() }
    defer { unsafe EVP_PKEY_CTX_free(maker) }
    unsafe EVP_PKEY_keygen_init(maker)
    switch kind {
    case .rsa: unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(maker, 2048)
    case .ecdsa: unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(maker, NID_X9_62_prime256v1)
    }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen(maker, &key) == 1, let made = unsafe key else { throw Failure() }
    return unsafe made
  }

  private static func write(to path: String, _ body: (OpaquePointer) -> Int32) throws {
    guard let file = unsafe BIO_new_file(path, "w") else { throw Failure() }
    defer { unsafe BIO_free_all(file) }
    guard unsafe body(file) == 1 else { throw Failure() }
  }
}
