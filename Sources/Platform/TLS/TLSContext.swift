internal import COpenSSL
internal import Glibc
internal import Synchronization

/// What a server speaks TLS with: its certificates, and the rules of Mozilla's intermediate profile (TLS 1.2 and 1.3,
/// only forward secrecy and authenticated encryption; https://wiki.mozilla.org/Security/Server_Side_TLS).
///
/// Safe to use from any thread.
@safe public final class TLSContext: Sendable {
  /// Where a certificate and its key are.
  public struct CertificateFiles: Hashable, Sendable {
    /// The server's certificate in PEM form, followed by those between it and the root.
    public let certificate: String
    /// Its private key in PEM form, without a password.
    public let key: String

    /// Both in PEM form.
    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// Certificates as they were read last.
  private struct Loaded: Sendable {
    let identities: [TLSIdentity]
    let expiries: [(path: String, expires: Int64)]
  }

  private let loaded: Mutex<Loaded>
  private let tickets: TicketKeys

  /// When a certificate ends, in seconds since 1970, by its file.
  public var expiries: [(path: String, expires: Int64)] { loaded.withLock { $0.expiries } }

  /// Reads certificates and keys. A client is shown the first certificate for the name it asks for (RFC 6066 §3), else
  /// the first of all. Of an RSA and an ECDSA certificate for the same names the client's abilities choose.
  public convenience init(_ files: [CertificateFiles]) throws(TLSError) {
    try self.init(files) { SystemClock.monotonicNanoseconds }
  }

  /// With the clock by which ticket keys grow old.
  init(_ files: [CertificateFiles], clock: @escaping @Sendable () -> Int64) throws(TLSError) {
    guard let tickets = TicketKeys(clock: clock) else { throw .library(reason: "no random bytes") }
    self.tickets = tickets
    let first = try Self.load(files, tickets)
    loaded = Mutex(first)
    chooseByName(first.identities)
  }

  /// Reads other certificates, or the same files again: connections from now on get them, and sessions that were begun before
  /// can be taken up. Throws when one of them cannot be used; what was read before stays then.
  public func reload(_ files: [CertificateFiles]) throws(TLSError) {
    let fresh = try Self.load(files, tickets)
    chooseByName(fresh.identities)
    loaded.withLock { $0 = fresh }
  }

  private static func load(_ files: [CertificateFiles], _ tickets: TicketKeys) throws(TLSError) -> Loaded {
    guard !files.isEmpty else { throw .noCertificate }
    var groups: [(names: [UInt8], kinds: [Int32], files: [CertificateFiles])] = []
    var expiries: [(path: String, expires: Int64)] = []
    for pair in files {
      let leaf = try LeafCertificate(path: pair.certificate)
      expiries.append((pair.certificate, leaf.expires))
      let index = groups.firstIndex { $0.names == leaf.names && !$0.kinds.contains(leaf.keyKind) }
      if let index, !leaf.names.isEmpty {
        groups[index].kinds.append(leaf.keyKind)
        groups[index].files.append(pair)
      } else {
        groups.append((leaf.names, [leaf.keyKind], [pair]))
      }
    }
    var identities: [TLSIdentity] = []
    for group in groups { identities.append(try TLSIdentity(group.files, tickets: tickets)) }
    return Loaded(identities: identities, expiries: expiries)
  }

  /// A new session of a server; nil without memory for one. OpenSSL starts it with the first identity.
  func newSession() -> OpaquePointer? {
    let first = loaded.withLock { $0.identities[0] }
    return unsafe SSL_new(first.context)
  }

  /// Where there is a choice. Called before anybody makes a session of the first identity.
  private func chooseByName(_ identities: [TLSIdentity]) {
    guard identities.count > 1 else { return }
    unsafe copenssl_on_server_name(
      identities[0].context,
      { session, _, argument in
        guard let argument = unsafe argument else { return SSL_TLSEXT_ERR_NOACK }
        let context = unsafe Unmanaged<TLSContext>.fromOpaque(argument).takeUnretainedValue()
        return unsafe context.choose(for: session)
      },
      // Unretained: the callback goes with the context that this object owns.
      Unmanaged.passUnretained(self).toOpaque())
  }

  private func choose(for session: OpaquePointer?) -> Int32 {
    let identities = loaded.withLock { $0.identities }
    guard let name = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name),
      let identity = identities.first(where: { unsafe $0.covers(name) })
    else { return SSL_TLSEXT_ERR_NOACK }
    unsafe SSL_set_SSL_CTX(session, identity.context)
    return SSL_TLSEXT_ERR_OK
  }
}
