internal import HTTPWire

/// The proxies that are believed when they say who asks, for which host and how: in `Forwarded` (RFC 7239), or, when
/// that is not sent, in `X-Forwarded-For`, `-Proto` and `-Host`.
///
/// Anybody may write such a field, and proxies add theirs behind what they were sent. So they are read from the end,
/// as far as trusted proxies wrote them: the client is the last address that is no trusted proxy's own.
public struct TrustedProxies: Hashable, Sendable {
  private let proxies: [TrustedProxy]

  /// Nobody is believed.
  public static let none = TrustedProxies([])

  /// Whoever one of these contains.
  public init(_ proxies: [TrustedProxy]) { self.proxies = proxies }

  func contains(_ peer: PeerAddress) -> Bool { proxies.contains { $0.contains(peer) } }

  /// Puts what a trusted proxy says of a request in the place of what its connection shows. 400 when that is unreadable
  /// or its host is none.
  func believe(_ request: inout HTTPRequest) throws(HTTPRefusal) {
    let elements = try request.forwardedElements()
    let word = elements.isEmpty ? informalWord(in: request) : word(of: elements)
    if let peer = word.peer { request.peer = peer }
    switch word.scheme {
    case "https": request.isSecure = true
    case "http": request.isSecure = false
    default: break
    }
    if let host = word.host, !request.redirect(toHost: host) {
      throw HTTPRefusal(
        .badRequest, "The host that the request was forwarded for is not a valid host and port.")
    }
  }

  /// What proxies say together; nil where they say nothing.
  private struct Word {
    var peer: PeerAddress?
    var scheme: String?
    var host: String?
  }

  /// Host and scheme are those of the outermost trusted proxy that tells them: there the client came in.
  private func word(of elements: [ForwardedElement]) -> Word {
    let (peer, first) = client(elements.lazy.map(\.client))
    let believed = elements[first...]
    return Word(
      peer: peer, scheme: believed.lazy.compactMap(\.scheme).first,
      host: believed.lazy.compactMap(\.host).first)
  }

  /// Here nobody knows which member of one field belongs to which of another: the last one is the nearest proxy's.
  private func informalWord(in request: HTTPRequest) -> Word {
    let addresses = request.members(of: .forwardedFor).lazy.map { ForwardedNode(informal: $0) }
    return Word(
      peer: client(addresses).peer, scheme: request.members(of: .forwardedProto).last?.lowercased(),
      host: request.members(of: .forwardedHost).last)
  }

  /// The last address that is no trusted proxy's, or the first of all, and where it stands. Where a name stands instead
  /// of an address the client is unknown, and the proxy that it came to is the nearest known.
  private func client(_ nodes: some BidirectionalCollection<ForwardedNode?>) -> (
    peer: PeerAddress?, index: Int
  ) {
    var peer: PeerAddress?
    var index = nodes.count
    for node in nodes.reversed() {
      index -= 1
      guard case .address(let address) = node else { break }
      peer = address
      guard contains(address) else { break }
    }
    return (peer, max(0, index))
  }
}
