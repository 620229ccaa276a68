internal import Platform

/// Where a server listens: a numeric address and a port.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  let address: SocketAddress

  /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` or `:8080` (all IPv4 addresses of the machine). Port 0 asks
  /// for a free one. Nil for anything else: names other than `localhost` are not looked up.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    if host.isEmpty { host = "0.0.0.0" }
    if host == "localhost" { host = "127.0.0.1" }
    guard let address = SocketAddress(host: host, port: port) else { return nil }
    self.address = address
  }

  /// As it is read.
  public var description: String { address.description }
}

/// Where a server does listen.
public struct BoundAddress: Hashable, Sendable, CustomStringConvertible {
  let address: SocketAddress

  /// The real port, also where 0 was asked for.
  public var port: UInt16 { address.port }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { address.isLoopback }

  /// What to open: `http://127.0.0.1:43211`.
  public var description: String { "http://\(address)" }
}
