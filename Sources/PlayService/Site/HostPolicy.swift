internal import HTTPWire
internal import Platform
internal import Synchronization

/// Which names a request may be for: a page elsewhere whose name was made to resolve to this machine (DNS rebinding) must
/// not read what is served here. Any thread.
final class HostPolicy: Sendable {
  /// Whom a Host field means.
  enum Meaning: Hashable, Sendable {
    /// This server.
    case site
    /// The one label before `.localhost`, in lower case: a game with an origin of its own.
    case game(label: String)
    /// Somebody else, as far as is known: an address may be new. Ask again after `refresh`.
    case unknownAddress
    case stranger
  }

  /// Milliseconds between two looks at the machine's addresses.
  static let interval: Int64 = 2000

  private struct Addresses {
    var all: Set<SocketAddress>
    var readAt: Int64
  }

  private let names: Set<String>
  private let allowed: Set<SocketAddress>
  private let read: @Sendable () -> [SocketAddress]
  private let own: Mutex<Addresses>

  /// `hosts` are the operator's, names or addresses; `hostName` is the machine's; `read` gives its addresses, at `now` in
  /// monotonic milliseconds for the first time.
  init(
    allowing hosts: [String], hostName: String?, now: Int64,
    addresses read: @escaping @Sendable () -> [SocketAddress]
  ) {
    var names: Set<String> = ["localhost"]
    var allowed: Set<SocketAddress> = []
    for host in hosts {
      let host = HostName.canonical(host)
      if let address = HostName.address(host) { allowed.insert(address) } else { names.insert(host) }
    }
    if let hostName = hostName.map({ HostName.canonical($0) }), !hostName.isEmpty {
      names.insert(hostName)
      // RFC 6762 §3: what a machine is called by its neighbours, which its full name begins with.
      let short = String(hostName.prefix { $0 != "." })
      names.insert(short)
      names.insert("\(short).local")
    }
    self.names = names
    self.allowed = allowed
    self.read = read
    own = Mutex(Addresses(all: Self.normal(read()), readAt: now))
  }

  /// What the request is for. An HTTP/1.0 client that names nobody is no browser, and is taken for one who means this.
  func meaning(of request: HTTPRequest, now: Int64) -> Meaning {
    guard !request.hostSlice.isAbsent else { return .site }
    let host = HostName.canonical(HostName.withoutPort(request.host))
    if names.contains(host) { return .site }
    if host.hasSuffix(".localhost") { return .game(label: String(host.dropLast(".localhost".count))) }
    guard let address = HostName.address(host) else { return .stranger }
    // An address that means this machine whatever it is called: `0.0.0.0` is what a listener of all of them prints.
    if address.isLoopback || address.isUnspecified || allowed.contains(address) { return .site }
    return own.withLock { own in
      if own.all.contains(address) { return .site }
      return now - own.readAt < Self.interval ? .stranger : .unknownAddress
    }
  }

  /// Reads the machine's addresses again.
  func refresh(now: Int64) {
    let all = Self.normal(read())
    own.withLock { $0 = Addresses(all: all, readAt: now) }
  }

  private static func normal(_ addresses: [SocketAddress]) -> Set<SocketAddress> {
    Set(addresses.map { HostName.normal($0) })
  }
}

/// The host of a Host field (RFC 3986 §3.2.2), which the parser has checked.
enum HostName {
  /// `Example.COM.` → `example.com`: the root's dot and the case of letters mean nothing.
  static func canonical(_ host: String) -> String {
    let host = host.lowercased()
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  static func withoutPort(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.lastIndex(of: "]") { return String(host[...end]) }
    return String(host.prefix { $0 != ":" })
  }

  /// The address that a host is, with brackets or without; nil for a name.
  static func address(_ host: String) -> SocketAddress? {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let text = isBracketed ? String(host.dropFirst().dropLast()) : host
    return SocketAddress(host: text, port: 0).map(normal)
  }

  /// Without the interface of a link-local address, which no URL tells, and IPv4 as such (RFC 4291 §2.5.5.2).
  static func normal(_ address: SocketAddress) -> SocketAddress {
    switch address {
    case .ipv6(0, let low, _, _) where low >> 32 == 0xffff:
      .ipv4(UInt32(truncatingIfNeeded: low), port: 0)
    case .ipv6(let high, let low, _, _): .ipv6(high, low, port: 0, scope: 0)
    case .ipv4(let bits, _): .ipv4(bits, port: 0)
    case .unix: address
    }
  }
}

extension SocketAddress {
  fileprivate var isUnspecified: Bool {
    switch self {
    case .ipv4(let bits, _): bits == 0
    case .ipv6(let high, let low, _, _): high == 0 && low == 0
    case .unix: false
    }
  }
}
