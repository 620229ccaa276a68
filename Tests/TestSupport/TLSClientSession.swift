import COpenSSL
internal import Platform

/// The client's side of TLS on a connected socket whose calls wait, made by OpenSSL. It trusts whoever answers: whether
/// the right certificate came is for the test to say.
@safe public final class TLSClientSession {
  /// What a client asks for.
  public struct Offer {
    /// The only version it speaks, as `TLSv1.2` or `TLSv1.3`; nil for any.
    public var version: String?
    /// The name it wants a certificate for (RFC 6066 §3).
    public var serverName: String?
    /// What it would speak inside (RFC 7301), such as `http/1.1`; empty without the extension.
    public var protocols: [String]
    /// The signature algorithms it can check, as OpenSSL names them; nil for all.
    public var signatures: String?
    /// A session to take up again.
    public var session: Session?

    /// Any version, no name and no protocol unless said.
    public init(
      version: String? = nil, serverName: String? = nil, protocols: [String] = [], signatures: String? = nil,
      session: Session? = nil
    ) {
      self.version = version
      self.serverName = serverName
      self.protocols = protocols
      self.signatures = signatures
      self.session = session
    }
  }

  /// What a connection leaves behind for a later one to begin with.
  @safe public final class Session {
    fileprivate let pointer: OpaquePointer
    fileprivate init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }
    deinit { unsafe SSL_SESSION_free(pointer) }

    /// What the server knows it by: its ticket.
    public var ticket: [UInt8] {
      var bytes: UnsafePointer<UInt8>?
      var count = 0
      unsafe SSL_SESSION_get0_ticket(pointer, &bytes, &count)
      return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }
  }

  /// Why there is no connection: OpenSSL's words.
  public struct HandshakeFailure: Error, Equatable {
    /// Such as `tlsv1 alert protocol version`.
    public let reason: String

    /// With that reason.
    public init(reason: String) { self.reason = reason }
  }

  private let context: OpaquePointer
  private let session: OpaquePointer

  init(on socket: Int32, _ offer: Offer) throws {
    guard let context = unsafe SSL_CTX_new(TLS_client_method()), let session = unsafe SSL_new(context) else {
      throw HandshakeFailure(reason: "no memory")
    }
    unsafe self.context = context
    unsafe self.session = session
    let versions = ["TLSv1.1": TLS1_1_VERSION, "TLSv1.2": TLS1_2_VERSION, "TLSv1.3": TLS1_3_VERSION]
    if let version = offer.version.flatMap({ versions[$0] }) {
      // SSL_set_min_proto_version and its sister are macros over these.
      _ = unsafe SSL_ctrl(session, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
      _ = unsafe SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
      // Debian's own configuration would not even offer the old ones.
      if version < TLS1_2_VERSION { unsafe SSL_set_security_level(session, 0) }
    }
    if let name = offer.serverName {
      unsafe name.withCString { text in
        _ = unsafe SSL_ctrl(
          session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
          UnsafeMutableRawPointer(mutating: text))
      }
    }
    if !offer.protocols.isEmpty {
      let list = offer.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
      _ = unsafe SSL_set_alpn_protos(session, list, UInt32(list.count))
    }
    if let signatures = offer.signatures {
      unsafe signatures.withCString { text in
        _ = unsafe SSL_ctrl(session, SSL_CTRL_SET_SIGALGS_LIST, 0, UnsafeMutableRawPointer(mutating: text))
      }
    }
    if let earlier = offer.session { _ = unsafe SSL_set_session(session, earlier.pointer) }
    unsafe SSL_set_fd(session, socket)
    ERR_clear_error()
    guard unsafe SSL_connect(session) == 1 else {
      let code = ERR_get_error()
      ERR_clear_error()
      let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
      throw HandshakeFailure(reason: text ?? "closed")
    }
  }

  deinit {
    unsafe SSL_free(session)
    unsafe SSL_CTX_free(context)
  }

  /// `TLSv1.2` or `TLSv1.3`.
  public var version: String { unsafe String(cString: SSL_get_version(session)) }

  /// Whether the server took an earlier session up.
  public var isResumed: Bool { unsafe SSL_session_reused(session) == 1 }

  /// What is spoken inside (RFC 7301); nil when nothing was agreed on.
  public var negotiatedProtocol: String? {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(session, &bytes, &count)
    guard let bytes = unsafe bytes, count > 0 else { return nil }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  /// The common name of the server's certificate.
  public var serverCertificateName: String? {
    guard let certificate = unsafe SSL_get1_peer_certificate(session) else { return nil }
    defer { unsafe X509_free(certificate) }
    var text = [CChar](repeating: 0, count: 256)
    let count = unsafe X509_NAME_get_text_by_NID(
      X509_get_subject_name(certificate), NID_commonName, &text, Int32(text.count))
    return count < 0
      ? nil : String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// What a later connection may begin with; complete only after something was read.
  public var saved: Session? { unsafe SSL_get1_session(session).map { unsafe Session(owning: $0) } }

  /// Whether the server has said goodbye (close_notify).
  public var hasGoodbye: Bool { unsafe SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0 }

  /// Changes this side's keys and asks the server to do the same (RFC 8446 §4.6.3).
  public func updateKeys() -> Bool {
    unsafe SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(session) == 1
  }

  func send(_ bytes: [UInt8], from start: Int) -> Socket.Transfer {
    let sent = unsafe bytes.withUnsafeBytes { bytes in
      unsafe SSL_write(session, bytes.baseAddress.map { unsafe $0 + start }, Int32(bytes.count - start))
    }
    return result(sent)
  }

  func receive(into buffer: inout [UInt8], count: Int) -> Socket.Transfer {
    let got = unsafe buffer.withUnsafeMutableBytes { unsafe SSL_read(session, $0.baseAddress, Int32(count)) }
    return result(got)
  }

  private func result(_ result: Int32) -> Socket.Transfer {
    guard result <= 0 else { return .moved(Int(result)) }
    defer { ERR_clear_error() }
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_ZERO_RETURN: return .moved(0)
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
    // An end without goodbye.
    default: return .failed(0)
    }
  }
}
