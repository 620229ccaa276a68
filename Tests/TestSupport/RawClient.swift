public import Platform

/// A client that sends exactly the bytes it is given and reads one response after another. Blocking; every wait ends
/// after ten seconds with an error.
public final class RawClient {
  /// What a connection can end in.
  public enum Failure: Error, Equatable {
    /// Nothing came in time.
    case timedOut
    /// The other side closed before the response was whole; what had come is kept.
    case ended([UInt8])
    /// The connection was reset or is otherwise broken.
    case broken(errno: Int32)
    /// What came is no response.
    case unreadable([UInt8])
  }

  private let socket: Socket
  /// What the connection speaks TLS with; nil on a plain one.
  public let tls: TLSClientSession?
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  private var received: [UInt8] = []

  /// Connects to a port of this machine.
  public init(port: UInt16, receiveBuffer: Int32? = nil) throws(SystemError) {
    socket = try .connected(to: .ipv4(0x7f00_0001, port: port), receiveBuffer: receiveBuffer)
    socket.setTimeout(milliseconds: 30_000)
    tls = nil
  }

  /// Connects and makes the handshake of TLS.
  public init(port: UInt16, offering offer: TLSClientSession.Offer, receiveBuffer: Int32? = nil) throws {
    socket = try .connected(to: .ipv4(0x7f00_0001, port: port), receiveBuffer: receiveBuffer)
    socket.setTimeout(milliseconds: 30_000)
    tls = try TLSClientSession(on: socket.number, offer)
  }

  /// Connects to a Unix socket, or to a port of any address.
  public init(to address: SocketAddress) throws(SystemError) {
    socket = try .connected(to: address)
    socket.setTimeout(milliseconds: 30_000)
    tls = nil
  }

  /// Sends all of the text.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all of the bytes.
  public func send(_ bytes: [UInt8]) throws {
    var start = 0
    while start < bytes.count {
      switch transfer(bytes, from: start) {
      case .moved(let count): start += count
      case .wouldBlock: throw Failure.timedOut
      case .failed(let errno): throw Failure.broken(errno: errno)
      }
    }
  }

  /// Sends until the other side takes no more, the connection breaks, or all of it is sent; returns how much went.
  public func sendWhatFits(_ bytes: [UInt8]) -> Int {
    var start = 0
    while start < bytes.count, case .moved(let count) = transfer(bytes, from: start) {
      start += count
    }
    return start
  }

  private func transfer(_ bytes: [UInt8], from start: Int) -> Socket.Transfer {
    tls?.send(bytes, from: start) ?? socket.send(bytes, start..<bytes.count)
  }

  /// The next response. The body of an answer to HEAD is not waited for.
  public func response(toHead: Bool = false) throws -> RawResponse {
    while true {
      if let end = headEnd() {
        let response = try RawResponse(head: Array(received[..<end]))
        let isBodiless = toHead || response.status < 200 || response.status == 204 || response.status == 304
        let length = isBodiless ? 0 : Int(response["Content-Length"] ?? "") ?? 0
        while received.count < end + length { try readMore() }
        defer { received.removeFirst(end + length) }
        return response.with(body: Array(received[end..<end + length]))
      }
      try readMore()
    }
  }

  /// All that comes until the other side closes.
  public func readToEnd() throws -> [UInt8] {
    while true {
      do {
        try readMore()
      } catch Failure.ended(let bytes) {
        received = []
        return bytes
      }
    }
  }

  /// Reads and throws away that many bytes.
  public func skip(_ count: Int) throws {
    var left = count - received.count
    received = left < 0 ? Array(received[count...]) : []
    while left > 0 {
      left -= try receive(atMost: left)
    }
  }

  /// Whether the other side closes, before it sends anything more.
  public func isClosedByServer() throws -> Bool {
    guard received.isEmpty else { return false }
    do {
      try readMore()
      return false
    } catch Failure.ended {
      return true
    } catch Failure.broken {
      return true
    }
  }

  /// Sends nothing more, but goes on reading.
  public func finishSending() { socket.finishSending() }

  /// The connection is reset, not closed, when this object goes.
  public func resetOnClose() { socket.resetOnClose() }

  private func headEnd() -> Int? {
    guard received.count >= 4 else { return nil }
    for index in 3..<received.count
    where received[index] == 0x0a && received[index - 1] == 0x0d && received[index - 2] == 0x0a {
      return index + 1
    }
    return nil
  }

  private func readMore() throws {
    let count = try receive(atMost: buffer.count)
    received += buffer[..<count]
  }

  private func receive(atMost limit: Int) throws -> Int {
    let count = min(limit, buffer.count)
    switch tls?.receive(into: &buffer, count: count) ?? socket.receive(into: &buffer, at: 0, count: count) {
    case .moved(0): throw Failure.ended(received)
    case .moved(let count): return count
    case .wouldBlock: throw Failure.timedOut
    case .failed(let errno): throw Failure.broken(errno: errno)
    }
  }
}

/// A response as it came.
public struct RawResponse: Equatable {
  /// The status code.
  public let status: Int
  /// The field lines in order.
  public let lines: [String]
  /// The body; empty where none may be.
  public private(set) var body: [UInt8] = []

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  init(head: [UInt8]) throws {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw RawClient.Failure.unreadable(head)
    }
    self.status = status
    self.lines = Array(lines.dropFirst())
  }

  /// The first value under a name of any case.
  public subscript(_ name: String) -> String? {
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
        continue
      }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return nil
  }

  func with(body: [UInt8]) -> RawResponse {
    var copy = self
    copy.body = body
    return copy
  }
}
