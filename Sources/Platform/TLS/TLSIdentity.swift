internal import COpenSSL
internal import Glibc

/// One set of names a server answers for, with the certificates for them.
@safe final class TLSIdentity: Sendable {
  // Owned: freed in deinit. OpenSSL lets any number of threads make sessions of a context that does not change.
  nonisolated(unsafe) let context: OpaquePointer

  /// Mozilla's intermediate list for TLS 1.2 (guidelines 5.7). The order is the client's: one without AES in hardware
  /// prefers ChaCha20.
  private static let ciphers = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    "DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES256-GCM-SHA384", "DHE-RSA-CHACHA20-POLY1305",
  ].joined(separator: ":")
  private static let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let groups = "X25519:prime256v1:secp384r1"
  /// RFC 7301 §6: the one protocol of this server, as it goes over the wire.
  private static let protocols: [UInt8] = [8] + Array("http/1.1".utf8)

  /// `files` are certificates of different kinds for the same names.
  init(_ files: [TLSContext.CertificateFiles], tickets: TicketKeys) throws(TLSError) {
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw .library(reason: TLSError.lastReason())
    }
    unsafe self.context = context
    try configure()
    for pair in files { try load(pair) }
    unsafe tickets.serve(context)
  }

  deinit { unsafe SSL_CTX_free(context) }

  /// Whether its certificate is for that host name: itself or by a `*` in place of the first label (RFC 6125 §6.4).
  func covers(_ name: UnsafePointer<CChar>) -> Bool {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context) else { return false }
    return unsafe X509_check_host(
      certificate, name, 0, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil) == 1
  }

  private func configure() throws(TLSError) {
    let isSet = unsafe [
      copenssl_set_versions(context, TLS1_2_VERSION, TLS1_3_VERSION),
      SSL_CTX_set_cipher_list(context, Self.ciphers),
      SSL_CTX_set_ciphersuites(context, Self.suites),
      copenssl_set_groups(context, Self.groups),
      // RFC 5246 §7.4.1.2: sessions are only taken up where they were made.
      SSL_CTX_set_session_id_context(context, "depot", 5),
    ].allSatisfy { $0 == 1 }
    guard isSet else { throw .library(reason: TLSError.lastReason()) }
    unsafe copenssl_set_finite_field_groups_by_strength(context)
    _ = unsafe SSL_CTX_set_options(
      context,
      // A client could ask for one costly handshake after the other on one connection.
      copenssl_no_renegotiation
        | copenssl_no_compression
        // HTTP has lengths: a body that was cut off is known for it without a close_notify.
        | copenssl_ignore_unexpected_end)
    if KernelTLS.isAvailable { _ = unsafe SSL_CTX_set_options(context, copenssl_kernel_tls) }
    unsafe copenssl_set_mode(
      context,
      SSL_MODE_ENABLE_PARTIAL_WRITE | UInt32(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        // An idle connection holds no record buffers.
        | UInt32(SSL_MODE_RELEASE_BUFFERS))
    // A record's header and content come with one read.
    unsafe copenssl_read_ahead(context)
    // Clients that know no tickets find their sessions here; there are few of them.
    unsafe copenssl_set_session_cache_size(context, 4096)
    _ = unsafe SSL_CTX_set_timeout(context, Int(TicketKeys.lifetime))
    // A client uses one at a time and gets another with each connection.
    _ = unsafe SSL_CTX_set_num_tickets(context, 1)
    unsafe SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, length, offered, count, _ in
        // RFC 7301 §3.2: who offers only what is not spoken here gets a no_application_protocol alert.
        let result = unsafe TLSIdentity.protocols.withUnsafeBufferPointer { ours in
          unsafe chosen?.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 1) { chosen in
            unsafe SSL_select_next_proto(
              chosen, length, ours.baseAddress, UInt32(ours.count), offered, count)
          }
        }
        return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
      }, nil)
    // Nobody sits at a terminal to be asked for the key's password.
    unsafe SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
  }

  private func load(_ files: TLSContext.CertificateFiles) throws(TLSError) {
    guard unsafe SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
      throw .certificate(path: files.certificate, reason: TLSError.lastReason())
    }
    do throws(SystemError) {
      _ = try File(path: files.key, mode: .read)
    } catch {
      throw .unreadable(error)
    }
    // Checks by itself that the key belongs to the certificate just read.
    guard unsafe SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1 else {
      throw .key(path: files.key, reason: TLSError.lastReason())
    }
  }
}
