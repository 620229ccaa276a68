public import Platform

/// Where a server listens: a numeric address and a port, and whether it speaks TLS there; the path of a Unix socket; or a
/// socket that the process was started with.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  enum Place: Hashable, Sendable {
    case address(SocketAddress)
    /// Of a socket that listens already.
    case descriptor(Int32)
  }

  private enum Scheme: String, CaseIterable { case http, https }

  /// What `init(_:)` reads, for the message about something else.
  public static let syntax =
    "an address such as 127.0.0.1:8080, [::1]:8080, https://:8443 or unix:/path (at most \(UnixSocketPath.limit) bytes)"

  let place: Place
  /// What the address says of TLS; nil leaves it to whether the server has a certificate.
  private let scheme: Scheme?

  init(_ place: Place) {
    self.place = place
    scheme = nil
  }

  /// Reads `127.0.0.1:8080`, `[::1]:8080` (IPv6 alone), `localhost:0`, `:8080` (all IPv4 addresses of the machine) or
  /// `unix:/path`. Port 0 asks for a free one. `http://` or `https://` before an address decides on TLS. Nil for
  /// anything else: names other than `localhost` are not looked up.
  public init?(_ text: String) {
    if text.hasPrefix("unix:") {
      guard let path = UnixSocketPath(String(text.dropFirst("unix:".count))) else { return nil }
      place = .address(.unix(path))
      scheme = nil
      return
    }
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
    place = .address(address)
  }

  /// The sockets that a service manager started this process with (sd_listen_fds(3)), and `addresses` behind them; when
  /// nobody asked for those (`isDefault`), only if there are no such sockets. Call it once, before there are other
  /// threads. Throws when the variables cannot be read; what the descriptors are is checked by the server.
  public static func inherited(
    and addresses: [ListenAddress], isDefault: Bool
  ) throws(SystemError) -> [ListenAddress] {
    let inherited = try InheritedSockets.takeDescriptors().map { ListenAddress(.descriptor($0)) }
    return inherited.isEmpty || !isDefault ? inherited + addresses : inherited
  }

  /// Whether it cannot do without a certificate.
  public var demandsTLS: Bool { scheme == .https }

  func isSecure(byDefault: Bool) -> Bool { scheme.map { $0 == .https } ?? byDefault }

  /// As it is read.
  public var description: String {
    switch place {
    case .address(let address): scheme.map { "\($0)://\(address)" } ?? address.description
    case .descriptor(let number): "descriptor \(number)"
    }
  }
}

/// Where a server does listen.
public struct BoundAddress: Hashable, Sendable, CustomStringConvertible {
  let address: SocketAddress
  /// Whether it speaks TLS there.
  public let isSecure: Bool

  /// The real port, also where 0 was asked for; 0 for a Unix socket.
  public var port: UInt16 { address.port }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { address.isLoopback }

  /// What to open: `http://127.0.0.1:43211`, or `unix:/path`.
  public var description: String {
    if case .unix = address { address.description } else { "\(isSecure ? "https" : "http")://\(address)" }
  }

  /// What to open at an address that this machine has; nil unless the server listens at all addresses of that family.
  public func url(at own: SocketAddress) -> String? {
    var own = own
    own.port = port
    switch (address, own) {
    case (.ipv4(0, _), .ipv4), (.ipv6(0, 0, _, _), .ipv6): return "\(isSecure ? "https" : "http")://\(own)/"
    default: return nil
    }
  }
}
