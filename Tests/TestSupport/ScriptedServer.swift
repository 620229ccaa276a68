import Glibc
import Platform
import Synchronization

/// An HTTP server that says exactly what a test tells it to, right or wrong: a thread accepts on 127.0.0.1, one thread
/// a connection reads request heads and performs the steps the script answers with.
public final class ScriptedServer: Sendable {
  /// What came in.
  public struct Request: Sendable {
    /// As it stood in the request line.
    public let method: String
    /// As it stood in the request line.
    public let target: String
    /// Names in lower case.
    public let fields: [String: String]
    /// Counts connections from 0.
    public let connection: Int
    /// Counts requests from 0, over all connections.
    public let number: Int

    /// The last field of that name, whatever its case.
    public subscript(name: String) -> String? { fields[name.lowercased()] }

    /// The first byte asked for by `Range: bytes=n-`.
    public var rangeStart: Int? {
      guard let range = self["Range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
      return Int(range.dropFirst(6).dropLast())
    }
  }

  /// What to do next on the connection; after the last step the next request is read.
  public enum Step: Sendable {
    case send([UInt8])
    /// Takes in as many bytes as the request's `Content-Length` says; they are in `bodies` afterwards.
    case readBody
    /// Nothing more comes, until the peer hangs up or the server stops.
    case stall
    /// Closes in order.
    case close
    /// Closes with a TCP reset.
    case reset
    /// Runs something between two steps: an event for the test to wait for, say.
    case call(@Sendable () -> Void)

    /// `send` for text.
    public static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
  }

  private struct State {
    var requests: [Request] = []
    var bodies: [[UInt8]] = []
    var open: Set<Int32> = []
    var connections = 0
    var threads: [PosixThread] = []
    var isStopped = false
  }

  /// Chosen by the system.
  public let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let script: @Sendable (Request) -> [Step]

  /// Listens at once, on a port the system chooses. `script` is called on the connection's thread.
  public init(_ script: @escaping @Sendable (Request) -> [Step]) throws {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(listener, pointer, length) == 0, listen(listener, 512) == 0 else { return errno }
        return unsafe getsockname(listener, pointer, &length) == 0 ? 0 : errno
      }
    }
    guard listener >= 0, result == 0 else { throw SystemError(errno: result, operation: "listen") }
    port = UInt16(bigEndian: address.sin_port)
    let thread = try PosixThread(name: "scripted") { [self] in accept() }
    state.withLock { $0.threads.append(thread) }
  }

  /// `http://127.0.0.1:port` and the path.
  public func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Every request head so far.
  public var requests: [Request] { state.withLock { $0.requests } }
  /// What `readBody` took in, in that order.
  public var bodies: [[UInt8]] { state.withLock { $0.bodies } }
  /// Connections accepted so far.
  public var connections: Int { state.withLock { $0.connections } }

  /// Hangs up on everybody and ends the threads.
  public func stop() {
    let threads = state.withLock { state in
      state.isStopped = true
      for number in state.open { shutdown(number, Int32(SHUT_RDWR)) }
      defer { state.threads = [] }
      return state.threads
    }
    shutdown(listener, Int32(SHUT_RDWR))
    for thread in threads { thread.join() }
  }

  private func accept() {
    defer { close(listener) }
    while true {
      let number = Glibc.accept(listener, nil, nil)
      if number < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard number >= 0 else { return }
      let connection = state.withLock { state -> Int? in
        guard !state.isStopped else { return nil }
        state.open.insert(number)
        state.connections += 1
        return state.connections - 1
      }
      guard let connection,
        let thread = try? PosixThread(name: "connection", { [self] in serve(number, connection) })
      else {
        close(number)
        continue
      }
      state.withLock { $0.threads.append(thread) }
    }
  }

  private func serve(_ number: Int32, _ connection: Int) {
    defer {
      // Not open for `stop` any more before the number can be given to somebody else.
      _ = state.withLock { $0.open.remove(number) }
      close(number)
    }
    var buffer: [UInt8] = []
    while let head = readHead(number, &buffer) {
      let request = state.withLock { state in
        let request = Self.parse(head, connection: connection, number: state.requests.count)
        state.requests.append(request)
        return request
      }
      for step in script(request) {
        guard perform(step, of: request, on: number, &buffer) else { return }
      }
    }
  }

  private func perform(_ step: Step, of request: Request, on number: Int32, _ buffer: inout [UInt8]) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes, on: number)
    case .readBody:
      let count = Int(request["Content-Length"] ?? "") ?? 0
      while buffer.count < count { guard receive(number, &buffer) else { return false } }
      let body = Array(buffer.prefix(count))
      buffer.removeFirst(count)
      state.withLock { $0.bodies.append(body) }
      return true
    case .stall:
      while receive(number, &buffer) {}
      return false
    case .close: return false
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
      return false
    case .call(let body):
      body()
      return true
    }
  }

  private func send(_ bytes: [UInt8], on number: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let start = done
      let put = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          number, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { return false }
      done += put
    }
    return true
  }

  private func receive(_ number: Int32, _ buffer: inout [UInt8]) -> Bool {
    var part = [UInt8](repeating: 0, count: 65_536)
    let got = unsafe part.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
    if got < 0, errno == EINTR { return true }
    guard got > 0 else { return false }
    buffer += part[..<got]
    return true
  }

  private func readHead(_ number: Int32, _ buffer: inout [UInt8]) -> String? {
    while true {
      let end = buffer.indices.first { index in
        buffer[index] == 10 && index >= 3 && buffer[index - 1] == 13 && buffer[index - 2] == 10
      }
      if let end {
        let head = String(decoding: buffer[...end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return head
      }
      guard receive(number, &buffer) else { return nil }
    }
  }

  private static func parse(_ head: String, connection: Int, number: Int) -> Request {
    let lines = head.split(separator: "\r\n")
    let start = (lines.first ?? "").split(separator: " ")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    return Request(
      method: String(start.first ?? ""), target: start.count > 1 ? String(start[1]) : "", fields: fields,
      connection: connection, number: number
    )
  }
}
