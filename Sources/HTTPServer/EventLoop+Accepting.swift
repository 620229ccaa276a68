internal import HTTPWire
internal import Platform
internal import Synchronization

/// Whether a loop has stopped accepting because descriptors ran out.
enum AcceptPause {
  case none
  /// Accepting goes on with the next tick.
  case paused
  /// It went on; another failure right away is not told again.
  case resumed
}

extension EventLoop {
  /// Accepts taken for one event, so that those who are connected get their turn.
  static var acceptBatch: Int { 32 }

  /// Takes connections that wait at a listener.
  mutating func accept(from listener: Listener) {
    guard listener.isShared else { return accept(from: listener, atMost: Self.acceptBatch) }
    accept(from: listener, atMost: 1)
    guard acceptPause != .paused else { return }
    // The kernel wakes the first in the line of loops that wait: who took a connection goes to its end.
    poller.remove(listener.socket.number)
    do throws(SystemError) { try listener.watch(with: poller) } catch { pauseAccepting(error) }
  }

  private mutating func accept(from listener: Listener, atMost count: Int) {
    for _ in 0..<count {
      switch shared.accept(listener.socket) {
      case .connection(let socket, let address): add(socket, address, listener.tls)
      case .gone: continue
      case .nobody: return
      case .failed(let error): return pauseAccepting(error)
      }
    }
  }

  /// Takes who has connected so far, and nobody more.
  mutating func stopListening() {
    for listener in listeners {
      accept(from: listener, atMost: Self.acceptBatch)
      // The descriptor of a shared one stays open until the last loop has stopped.
      poller.remove(listener.socket.number)
    }
    listeners = []
  }

  private mutating func add(_ socket: consuming Socket, _ address: SocketAddress, _ tls: TLSContext?) {
    let number = Int(socket.number)
    guard let transport = Transport(socket, tls) else {
      return shared.logger.error("No memory for another TLS session.")
    }
    let peer = PeerAddress(address)
    let isTrustedProxy = shared.proxies.contains(peer)
    let open = shared.open.add(1, ordering: .relaxed).newValue
    openCount += 1
    counters.accepted &+= 1
    let ofAddress = isTrustedProxy ? 0 : shared.addresses?.enter(peer) ?? 0
    lastGeneration = lastGeneration == .max ? 1 : lastGeneration + 1
    let connection = Connection(
      transport, token: ConnectionToken(number: Int32(number), generation: lastGeneration),
      peer: peer, isTrustedProxy: isTrustedProxy, limits: shared.limits.head, now: now)
    if number >= connections.count {
      let more = max(64, number + 1 - connections.count, connections.count)
      connections += Array(repeating: nil, count: more)
      deadlines += Array(repeating: Int64.max, count: more)
    }
    connections[number] = connection
    setDeadline(connection, now + shared.times.head)
    let excess = (
      all: open - shared.limits.connections, ofAddress: ofAddress - (shared.addresses?.limit ?? 0)
    )
    if excess.all > 0 || excess.ofAddress > 0 { counters.refused &+= 1 }
    guard max(excess.all, excess.ofAddress) <= ServerState.overflow else { return close(connection) }
    let refusal =
      excess.all > 0 || excess.ofAddress > 0
      ? HTTPRefusal(
        .serviceUnavailable,
        "Too many connections\(excess.all > 0 ? "" : " from your address"); try again soon.",
        retryAfter: ServerState.retryAfter) : nil
    if tls != nil {
      connection.phase = .handshaking(refusal: refusal)
      watch(connection)
    } else if let refusal {
      refuse(connection, refusal)
      advance(connection)
      if !connection.isClosed { watch(connection) }
    } else {
      // Its request comes right behind it, most often: it is looked for when all who wait are accepted. Whoever asks for
      // one thing and goes need not be watched at all.
      buffered.append(connection.token)
    }
  }

  /// The kernel keeps those who wait until the next tick.
  private mutating func pauseAccepting(_ error: SystemError) {
    if acceptPause == .none {
      shared.logger.error("Accepting pauses: \(error). Raise the limit of open files (ulimit -n).")
    }
    acceptPause = .paused
    for listener in listeners { poller.remove(listener.socket.number) }
  }

  /// Tries again after a pause.
  mutating func resumeAccepting() {
    switch acceptPause {
    case .none: break
    case .resumed:
      acceptPause = .none
      shared.logger.notice("Accepting goes on.")
    case .paused:
      acceptPause = .resumed
      do throws(SystemError) {
        for listener in listeners { try listener.watch(with: poller) }
      } catch {
        pauseAccepting(error)
      }
    }
  }
}
