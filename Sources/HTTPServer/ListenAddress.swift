internal import Platform

/// Where a server listens: a numeric address and a port, and whether it speaks TLS there.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  let address: SocketAddress
  /// What the address says of TLS; nil leaves it to whether the server has a certificate.
  private let scheme: Scheme?

  private enum Scheme: String, CaseIterable { case http, https }

  /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` or `:8080` (all IPv4 addresses of the machine). Port 0 asks
  /// for a free one. `http://` or `https://` before it decides on TLS. Nil for anything else: names other than
  /// `localhost` are not looked up.
  public init?(_ text: String) {
    scheme = Scheme.allCases.first { text.hasPrefix("\($0)://") }
    let text = scheme.map { text.dropFirst("\($0)://".count) } ?? text[...]
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

  /// Whether it cannot do without a certificate.
  public var demandsTLS: Bool { scheme == .https }

  func isSecure(byDefault: Bool) -> Bool { scheme.map { $0 == .https } ?? byDefault }

  /// As it is read.
  public var description: String { scheme.map { "\($0)://\(address)" } ?? address.description }
}

/// Where a server does listen.
public struct BoundAddress: Hashable, Sendable, CustomStringConvertible {
  let address: SocketAddress
  /// Whether it speaks TLS there.
  public let isSecure: Bool

  /// The real port, also where 0 was asked for.
  public var port: UInt16 { address.port }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { address.isLoopback }

  /// What to open: `http://127.0.0.1:43211`.
  public var description: String { "\(isSecure ? "https" : "http")://\(address)" }
}
