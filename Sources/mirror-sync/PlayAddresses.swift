import HTTPServer
import Platform

/// Where the neighbours of this machine can open what it serves.
enum PlayAddresses {
  /// The URLs of a server that listens at all addresses, those of networks that a phone may be in first.
  static func urls(of bound: [BoundAddress]) -> [String] {
    let own = NetworkInterfaces.addresses.filter { !$0.address.isLoopback && !$0.isLinkLocal }
    let sorted = own.filter { !$0.isVirtual } + own.filter(\.isVirtual)
    return bound.flatMap { address in sorted.compactMap { address.url(at: $0.address) } }
  }

  /// Shows a URL as a QR code on a terminal, where Debian's `qrencode` is installed; else nothing happens. Takes a second at
  /// most.
  static func show(_ url: String, path: String?) {
    let words = ["qrencode", "-t", "ANSIUTF8", "-m", "2", url]
    guard let program = try? ChildProcess(words, environment: path.map { ["PATH": $0] } ?? [:]) else {
      return
    }
    if program.wait(atMost: .seconds(1)) == nil { program.kill() }
  }
}

extension NetworkInterfaces.Address {
  /// Interfaces of containers and virtual machines: nobody outside is there.
  fileprivate var isVirtual: Bool {
    ["docker", "br-", "veth", "virbr", "cni", "podman", "lxc", "lxd"].contains { interface.hasPrefix($0) }
  }

  /// RFC 4291 §2.5.6, RFC 3927 §2.1: only with the name of the interface, or where nothing else works.
  fileprivate var isLinkLocal: Bool {
    switch address {
    case .ipv4(let bits, _): bits >> 16 == 0xa9fe
    case .ipv6(let high, _, _, _): high >> 54 == 0x3fa
    case .unix: false
    }
  }
}
