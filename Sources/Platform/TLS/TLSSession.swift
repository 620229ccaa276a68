internal import COpenSSL
internal import Glibc

/// The server's side of TLS on one connection. Never waits; one thread.
@safe public final class TLSSession {
  /// How far the handshake is.
  public enum Handshake: Sendable, Hashable {
    case done
    /// Goes on when the socket can be read.
    case wantsInput
    /// Goes on when the socket can be written.
    case wantsOutput
    /// The client began to speak HTTP without TLS: an answer in kind would be understood.
    case plainHTTP
    case failed
  }

  /// Bytes of a file read at a time where the kernel does not encrypt: four records.
  public static let fileBuffer = 64 << 10

  // Owned: freed in deinit.
  private let session: OpaquePointer
  /// OpenSSL's callbacks point into it, and a connection may outlive the listener that had it.
  private let context: TLSContext
  /// Input stands decrypted, or read and not yet decrypted, in OpenSSL's buffers, where no poller sees it.
  public private(set) var hasBufferedInput = false
  /// A read has to send first (RFC 8446 §4.6.3: the answer to a key update), and the socket takes nothing now.
  public private(set) var isReadBlockedByOutput = false
  /// The client did not begin TLS but HTTP: it is to be answered without encryption.
  public private(set) var isGivenUp = false
  /// OpenSSL allows no more calls, not even the one to say goodbye.
  private var isBroken = false
  private var saidGoodbye = false
  private var kernelEncrypts = false

  /// Begins on a connected socket that never waits and outlives this session. Nil without memory.
  public init?(_ context: TLSContext, socket: borrowing Socket) {
    guard let session = unsafe context.newSession() else { return nil }
    unsafe self.session = session
    self.context = context
    guard unsafe SSL_set_fd(session, socket.number) == 1 else { return nil }
    unsafe SSL_set_accept_state(session)
  }

  deinit { unsafe SSL_free(session) }

  /// Takes the handshake as far as it goes now.
  public func handshake() -> Handshake {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(session)
    guard result != 1 else {
      // What a callback tried in vain must not be taken for the next read's failure (SSL_get_error(3)).
      ERR_clear_error()
      kernelEncrypts = unsafe copenssl_kernel_encrypts(session) == 1
      hasBufferedInput = unsafe SSL_has_pending(session) == 1
      return .done
    }
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ: return .wantsInput
    case SSL_ERROR_WANT_WRITE: return .wantsOutput
    default:
      isBroken = true
      // The library's number is in the upper bits: it is always SSL's here.
      let reason = Int32(truncatingIfNeeded: ERR_peek_error() & UInt(ERR_REASON_MASK))
      ERR_clear_error()
      isGivenUp = reason == SSL_R_HTTP_REQUEST
      return isGivenUp ? .plainHTTP : .failed
    }
  }

  /// Reads at most `count` decrypted bytes to `start` of `buffer`, which must reach that far; 0 moved is the end.
  public func receive(into buffer: inout [UInt8], at start: Int, count: Int) -> Socket.Transfer {
    guard start >= 0, count >= 0, count <= buffer.count - start, !isBroken else { return .failed(EINVAL) }
    hasBufferedInput = false
    isReadBlockedByOutput = false
    var moved = 0
    while moved < count {
      let (result, got) = unsafe buffer.withUnsafeMutableBytes { bytes in
        var got = 0
        let place = unsafe bytes.baseAddress.map { unsafe $0 + start + moved }
        return (unsafe SSL_read_ex(session, place, count - moved, &got), got)
      }
      guard result == 1 else { return afterRead(result, moved) }
      moved += got
      guard unsafe SSL_has_pending(session) == 1 else { return .moved(moved) }
    }
    hasBufferedInput = true
    return .moved(moved)
  }

  private func afterRead(_ result: Int32, _ moved: Int) -> Socket.Transfer {
    let outcome: Socket.Transfer
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ: outcome = .wouldBlock
    case SSL_ERROR_WANT_WRITE:
      isReadBlockedByOutput = true
      outcome = .wouldBlock
    case SSL_ERROR_ZERO_RETURN: outcome = .moved(0)
    default: outcome = broken()
    }
    // What came before is good; the end, or what is wrong, comes out again with the next call.
    guard moved > 0 else { return outcome }
    hasBufferedInput = outcome != .wouldBlock
    return .moved(moved)
  }

  /// Sends bytes; perhaps only the first of them. What was refused must be sent again before anything
  /// else: the record may be half on its way.
  public func send(_ bytes: Span<UInt8>) -> Socket.Transfer {
    guard !isBroken else { return .failed(EINVAL) }
    var moved = 0
    while moved < bytes.count {
      let (result, put) = unsafe bytes.withUnsafeBytes { bytes in
        var put = 0
        let place = unsafe bytes.baseAddress.map { unsafe $0 + moved }
        return (unsafe SSL_write_ex(session, place, bytes.count - moved, &put), put)
      }
      guard result == 1 else { return afterWrite(result, moved) }
      moved += put
    }
    return .moved(moved)
  }

  private func afterWrite(_ result: Int32, _ moved: Int) -> Socket.Transfer {
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_WANT_WRITE, SSL_ERROR_WANT_READ: moved > 0 ? .moved(moved) : .wouldBlock
    default: broken()
    }
  }

  /// Sends at most `count` bytes of a file from `offset`: without passing them through this process where the kernel
  /// encrypts (tls(7) of the kernel's documentation), else through `buffer`. 0 moved means that the file ends before.
  public func sendFile(
    _ file: Int32, at offset: Int64, count: Int, through buffer: inout [UInt8]
  ) -> Socket.Transfer {
    guard !isBroken else { return .failed(EINVAL) }
    if kernelEncrypts {
      let put = unsafe SSL_sendfile(session, file, off_t(offset), count, 0)
      return put >= 0 ? .moved(put) : afterWrite(Int32(truncatingIfNeeded: put), 0)
    }
    if buffer.count < Self.fileBuffer { buffer = Array(repeating: 0, count: Self.fileBuffer) }
    var moved = 0
    while moved < count {
      let wanted = min(count - moved, Self.fileBuffer)
      let got = unsafe buffer.withUnsafeMutableBytes { bytes in
        retryingOnInterrupt { unsafe pread(file, bytes.baseAddress, wanted, off_t(offset) + off_t(moved)) }
      }
      guard got > 0 else { return moved > 0 ? .moved(moved) : got == 0 ? .moved(0) : .failed(errno) }
      switch send(buffer.span.extracting(0..<got)) {
      case .moved(let put):
        moved += put
        guard put == got else { return .moved(moved) }
      case .wouldBlock: return moved > 0 ? .moved(moved) : .wouldBlock
      case .failed(let code): return .failed(code)
      }
    }
    return .moved(moved)
  }

  /// Tells the client that nothing more comes (close_notify, RFC 8446 §6.1), if the socket takes it; reading goes on.
  public func finishSending() {
    guard !isBroken, !saidGoodbye, unsafe SSL_is_init_finished(session) == 1 else { return }
    saidGoodbye = true
    let result = unsafe SSL_shutdown(session)
    guard result < 0 else { return }
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_WANT_WRITE, SSL_ERROR_WANT_READ: break
    default: _ = broken()
    }
  }

  private func broken() -> Socket.Transfer {
    let code = errno
    isBroken = true
    ERR_clear_error()
    return .failed(code == 0 || code == EAGAIN ? EPROTO : code)
  }
}
