/// What every transfer of one engine has in common.
public struct HTTPClientSettings: Sendable {
  /// A PEM file of the authorities to trust; nil: what `SSL_CERT_FILE` names, else the system's.
  public var caFile: String?
  /// `scheme://host:port` of a proxy for everything; nil: what `http_proxy`, `HTTPS_PROXY` and `NO_PROXY` say.
  public var proxy: String?
  /// The path of a Unix socket over which everything goes, without a proxy; nil: to the URL's host.
  public var unixSocket: String?
  /// A transfer is given up when no byte moved for this long, or fewer than 1,000 a second over as long.
  public var stallTimeout: Duration
  /// For name look-up, TCP and TLS together.
  public var connectTimeout: Duration
  /// Sent as `User-Agent`.
  public var userAgent: String
  /// How fast bodies may come, all transfers together; nil: as they come.
  public var rateLimit: RateSchedule?
  /// Transfers at a time, and so connections at a time; others wait. Fetches go before downloads.
  public var maximumConnections: Int

  /// Every limit is the caller's decision; `standard` is a start.
  public init(
    caFile: String?,
    proxy: String?,
    stallTimeout: Duration,
    connectTimeout: Duration,
    userAgent: String,
    maximumConnections: Int
  ) {
    self.caFile = caFile
    self.proxy = proxy
    self.stallTimeout = stallTimeout
    self.connectTimeout = connectTimeout
    self.userAgent = userAgent
    self.maximumConnections = max(1, maximumConnections)
  }

  /// 30 s without progress, 15 s to connect, 8 connections; the system's authorities and proxies.
  public static let standard = HTTPClientSettings(
    caFile: nil, proxy: nil, stallTimeout: .seconds(30), connectTimeout: .seconds(15),
    userAgent: "game-depot",
    maximumConnections: 8
  )
}
