internal import CLinux
internal import Glibc

/// A stream socket this value owns, TCP or Unix; it closes when the value goes. One thread at a time, but for `accept`.
public struct Socket: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  /// How a read or write without waiting ended.
  public enum Transfer: Sendable, Hashable {
    /// That many bytes moved; 0 of a read is the other side's end.
    case moved(Int)
    /// Nothing can move now.
    case wouldBlock
    /// The connection is broken; the errno(3) says how.
    case failed(Int32)
  }

  /// What accept(2) brought.
  public enum Accepted: ~Copyable, Sendable {
    case connection(Socket, from: SocketAddress)
    /// Nobody waits.
    case nobody
    /// A client that gave up before it was accepted: try the next.
    case gone
    /// Out of descriptors or memory.
    case failed(SystemError)
  }

  /// Takes over a socket's descriptor.
  public init(owning descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// For calls that only borrow it.
  public var number: Int32 { descriptor.number }

  // MARK: Making one

  /// A listening TCP socket that never waits. With `sharesPort` the kernel spreads new connections over all sockets that
  /// listen on the port that way (SO_REUSEPORT), instead of calling it in use. IPv6 sockets take IPv6 alone.
  public static func listening(
    on address: SocketAddress, sharesPort: Bool, backlog: Int32
  ) throws(SystemError) -> Socket {
    let name = address.description
    let number = socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard number >= 0 else { throw .last("socket", name) }
    let made = Socket(owning: FileDescriptor(owning: number))
    made.set(SOL_SOCKET, SO_REUSEADDR)
    if sharesPort { made.set(SOL_SOCKET, SO_REUSEPORT) }
    if address.family == AF_INET6 { made.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
    made.sendWithoutDelay()
    if address.isLoopback { made.sendUnpaced() }
    guard unsafe address.withKernelForm({ unsafe bind(number, $0, $1) }) == 0 else {
      throw .last("bind", name)
    }
    guard listen(number, backlog) == 0 else { throw .last("listen", name) }
    return made
  }

  /// A connected socket whose calls wait; the connection itself is waited for as well. `receiveBuffer` bounds what the
  /// kernel takes in ahead of a reader (it doubles the number).
  public static func connected(
    to address: SocketAddress, receiveBuffer: Int32? = nil
  ) throws(SystemError) -> Socket {
    let name = address.description
    let number = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .last("socket", name) }
    let made = Socket(owning: FileDescriptor(owning: number))
    if address.family != AF_UNIX { made.sendWithoutDelay() }
    // The window's scale is agreed on while connecting: later is too late.
    if let receiveBuffer { made.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
    let result = unsafe address.withKernelForm { address, length in
      retryingOnInterrupt { unsafe connect(number, address, length) }
    }
    guard result == 0 else { throw .last("connect", name) }
    return made
  }

  /// The next waiting connection; its socket never waits.
  public func accept() -> Accepted {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = retryingOnInterrupt { unsafe clinux_accept4(descriptor.number, &storage, &length, flags) }
    guard number < 0 else {
      let accepted = Socket(owning: FileDescriptor(owning: number))
      guard let address = SocketAddress(storage) else { return .gone }
      return .connection(accepted, from: address)
    }
    switch errno {
    case EAGAIN: return .nobody
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .failed(.last("accept"))
    // accept(2): errors of the network that are pending on the new socket come out here and mean the next one.
    default: return .gone
    }
  }

  // MARK: Moving bytes

  /// Reads at most `count` bytes to `start` of `buffer`, which must reach that far.
  public func receive(into buffer: inout [UInt8], at start: Int, count: Int) -> Transfer {
    guard start >= 0, count >= 0, count <= buffer.count - start else { return .failed(EINVAL) }
    let got = unsafe buffer.withUnsafeMutableBytes { bytes in
      retryingOnInterrupt { unsafe clinux_recv(number, bytes.baseAddress.map { unsafe $0 + start }, count) }
    }
    return Self.transfer(got)
  }

  /// Sends the bytes of a range; the kernel may take only the first of them. With `more` it holds back the last
  /// partial segment for what follows.
  public func send(_ bytes: [UInt8], _ range: Range<Int>, more: Bool = false) -> Transfer {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return .failed(EINVAL) }
    return send(bytes.span.extracting(range), more: more)
  }

  /// Sends bytes likewise.
  public func send(_ bytes: Span<UInt8>, more: Bool = false) -> Transfer {
    let put = unsafe bytes.withUnsafeBytes { bytes in
      retryingOnInterrupt {
        unsafe clinux_send(number, bytes.baseAddress, bytes.count, Self.sendFlags(more))
      }
    }
    return Self.transfer(put)
  }

  /// Sends bytes and others behind them in one call.
  public func send(_ bytes: Span<UInt8>, _ others: Span<UInt8>, more: Bool = false) -> Transfer {
    let put = unsafe bytes.withUnsafeBytes { bytes in
      unsafe others.withUnsafeBytes { others in
        retryingOnInterrupt {
          unsafe clinux_send_two(
            number, bytes.baseAddress, bytes.count, others.baseAddress, others.count, Self.sendFlags(more))
        }
      }
    }
    return Self.transfer(put)
  }

  private static func sendFlags(_ more: Bool) -> Int32 { Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0) }

  /// Sends at most `count` bytes of a file from `offset`, without passing them through this process; 0 moved means
  /// that the file ends before.
  public func sendFile(_ file: Int32, at offset: Int64, count: Int) -> Transfer {
    var place = off_t(offset)
    return Self.transfer(retryingOnInterrupt { unsafe sendfile(number, file, &place, count) })
  }

  private static func transfer(_ result: Int) -> Transfer {
    if result >= 0 { return .moved(result) }
    return errno == EAGAIN ? .wouldBlock : .failed(errno)
  }

  // MARK: Ending and asking

  /// Tells the other side that nothing more comes; reading goes on.
  public func finishSending() { _ = shutdown(number, Int32(SHUT_WR)) }

  /// Makes the close send a reset at once, throwing away what was not sent.
  public func resetOnClose() {
    var setting = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
  }

  /// How much the kernel takes in ahead of what it can send (TCP_NOTSENT_LOWAT, tcp(7)); megabytes unless told.
  public func limitUnsent(to bytes: Int32) {
    // Not among the importer's names.
    set(Int32(IPPROTO_TCP), 25, bytes)
  }

  /// Bytes that were sent but that the other side has not acknowledged yet (SIOCOUTQ).
  public var unacknowledged: Int {
    var count: Int32 = 0
    // tcp(7): SIOCOUTQ is TIOCOUTQ, which the importer knows.
    return unsafe ioctl(number, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }

  /// The address it is bound to: the real port where 0 was asked for.
  public var localAddress: SocketAddress {
    get throws(SystemError) {
      var storage = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(number, $0, &length)
        }
      }
      guard result == 0 else { throw .last("getsockname") }
      guard let address = SocketAddress(storage) else {
        throw SystemError(errno: EAFNOSUPPORT, operation: "getsockname")
      }
      return address
    }
  }

  /// Reads and writes of a waiting socket give up after that time with `.wouldBlock`.
  public func setTimeout(milliseconds: Int) {
    var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  /// TCP_NODELAY, which sockets that a listener accepts inherit: without it a response in two segments waits for the
  /// client's delayed ACK.
  func sendWithoutDelay() { set(Int32(IPPROTO_TCP), TCP_NODELAY) }

  /// Reno (RFC 5681) instead of the system's congestion control, for accepted sockets too: nothing is lost or crowded
  /// within a machine, while one that paces, such as BBR, holds back what a proxy beside the server could take at once.
  private func sendUnpaced() {
    let name = "reno"
    // Every kernel has it and lets everybody choose it; were it not so, the system's choice would stand.
    _ = unsafe setsockopt(number, Int32(IPPROTO_TCP), TCP_CONGESTION, name, socklen_t(name.utf8.count))
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32 = 1) {
    var value = value
    _ = unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
