internal import HTTPWire
internal import Platform

/// The one place where a connection's bytes are read and written; an encrypted connection differs here and nowhere else.
struct Transport: ~Copyable {
  private let socket: Socket

  init(_ socket: consuming Socket) { self.socket = socket }

  /// The descriptor, for the poller.
  var number: Int32 { socket.number }
  var isSecure: Bool { false }
  /// Bytes handed to the kernel that the client has not acknowledged.
  var unacknowledged: Int { socket.unacknowledged }

  func receive(into buffer: inout [UInt8], at start: Int, count: Int) -> Socket.Transfer {
    socket.receive(into: &buffer, at: start, count: count)
  }

  func send(_ bytes: [UInt8], _ range: Range<Int>, more: Bool) -> Socket.Transfer {
    socket.send(bytes, range, more: more)
  }

  func sendFile(_ file: any BodyFile, at offset: Int64, count: Int) -> Socket.Transfer {
    socket.sendFile(file.number, at: offset, count: count)
  }

  func finishSending() { socket.finishSending() }

  func resetOnClose() { socket.resetOnClose() }
}

extension PeerAddress {
  init(_ address: SocketAddress) {
    switch address {
    case .ipv4(let bits, let port): self = .ipv4(bits, port: port)
    case .ipv6(let high, let low, let port, _): self = .ipv6(high, low, port: port)
    }
  }
}
