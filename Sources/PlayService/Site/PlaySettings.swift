public import DepotModel
public import ReadAPI

/// What the operator says about how games are served.
public struct PlaySettings: Sendable {
  /// Names and addresses, without a port, that a request may be for besides this machine's own; in any case.
  public var allowedHosts: [String] = []
  /// Games that inflate their `.gz`, `.br` and `.unityweb` themselves: they get them as they are.
  public var rawEncodings: Set<GameID> = []
  /// Games whose pages route by themselves: a path that is no file is their `index.html`.
  public var singlePage: Set<GameID> = []
  /// Whether a game's pages are isolated (COOP, COEP), whatever was found when it was installed.
  public var isolation: [GameID: Bool] = [:]
  /// What the links that mirrors of this mirror follow begin with; nil takes each request's Host field.
  public var publicURL: PublicURL?
  /// Bytes of memory for texts that were compressed, about.
  public var compressedBytes = 64 << 20

  /// Nothing special.
  public init() {}

  /// Whether a text can be one of `allowedHosts`: a host name, an IPv4 address, or an IPv6 one with brackets or without.
  public static func isHost(_ text: String) -> Bool {
    if HostName.address(text) != nil { return true }
    let bytes = text.utf8
    return (1...253).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
      && bytes.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      }
  }
}
