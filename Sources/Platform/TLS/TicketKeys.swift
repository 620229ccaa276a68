internal import COpenSSL
internal import Synchronization

/// The keys that session tickets are sealed with. They live in memory only, and are replaced after half a day, so that
/// what leaks later does not open old connections (RFC 5077 §5.5); the key before is still taken for as long again.
@safe final class TicketKeys: Sendable {
  /// Seconds a key seals new tickets, and a ticket is good for.
  static let lifetime: Int64 = 12 * 3600

  private struct Key {
    let name: [UInt8]
    let cipher: [UInt8]
    let mac: [UInt8]

    init?() {
      guard let bytes = Secrets.randomBytes(80) else { return nil }
      name = Array(bytes[..<16])
      cipher = Array(bytes[16..<48])
      mac = Array(bytes[48...])
    }
  }

  private struct State {
    var current: Key
    var previous: Key?
    var changesAt: Int64
  }

  private let state: Mutex<State>
  /// Nanoseconds of the monotonic clock; tests put a clock of their own here.
  private let clock: @Sendable () -> Int64

  /// Nil if there are no random bytes to make keys of.
  init?(clock: @escaping @Sendable () -> Int64) {
    guard let key = Key() else { return nil }
    self.clock = clock
    state = Mutex(State(current: key, changesAt: clock() / 1_000_000_000 + Self.lifetime))
  }

  /// Has OpenSSL ask these keys; they must live as long as the context.
  func serve(_ context: OpaquePointer) {
    // Index 0 is what SSL_CTX_set_app_data(3) uses: the application's own.
    unsafe SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
    _ = unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { session, name, vector, cipher, mac, seals in
      guard let name = unsafe name, let vector = unsafe vector, let context = unsafe SSL_get_SSL_CTX(session),
        let place = unsafe SSL_CTX_get_ex_data(context, 0)
      else { return -1 }
      let keys = unsafe Unmanaged<TicketKeys>.fromOpaque(place).takeUnretainedValue()
      return seals == 1
        ? unsafe keys.seal(name, vector, cipher, mac)
        : unsafe keys.open(name, vector, cipher, mac, isForOneUse: SSL_version(session) >= TLS1_3_VERSION)
    }
  }

  /// SSL_CTX_set_tlsext_ticket_key_evp_cb(3): 1 for success, negative for an error.
  private func seal(
    _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer?,
    _ mac: OpaquePointer?
  ) -> Int32 {
    let key = state.withLock { state in
      renew(&state)
      return state.current
    }
    unsafe name.update(from: key.name, count: key.name.count)
    guard let fresh = Secrets.randomBytes(16) else { return -1 }
    unsafe vector.update(from: fresh, count: fresh.count)
    guard unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, key.cipher, vector) == 1,
      unsafe copenssl_authenticate_with_sha256(mac, key.mac, key.mac.count) == 1
    else { return -1 }
    return 1
  }

  /// 1 for success, 2 to have a new ticket sent as well, 0 for a ticket that is not ours any more.
  ///
  /// RFC 8446 §C.4: a client uses a ticket once, lest it be recognised by it. Who gets no other begins anew next time.
  private func open(
    _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer?,
    _ mac: OpaquePointer?, isForOneUse: Bool
  ) -> Int32 {
    let wanted = unsafe Array(UnsafeBufferPointer(start: name, count: 16))
    let (found, isOld) = state.withLock { state -> (Key?, Bool) in
      renew(&state)
      if state.current.name == wanted { return (state.current, false) }
      return (state.previous.flatMap { $0.name == wanted ? $0 : nil }, true)
    }
    guard let found else { return 0 }
    guard unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nil, found.cipher, vector) == 1,
      unsafe copenssl_authenticate_with_sha256(mac, found.mac, found.mac.count) == 1
    else { return -1 }
    return isOld || isForOneUse ? 2 : 1
  }

  private func renew(_ state: inout State) {
    let now = clock() / 1_000_000_000
    guard now >= state.changesAt, let key = Key() else { return }
    // A key that nobody asked for in twice its time is too old to be taken at all.
    state.previous = now < state.changesAt + Self.lifetime ? state.current : nil
    state.current = key
    state.changesAt = now + Self.lifetime
  }
}
