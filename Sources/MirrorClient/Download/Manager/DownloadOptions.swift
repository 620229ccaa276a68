public import HTTPClient

/// What a manager of its own folder is to do. `standard` is a start.
public struct DownloadOptions: Sendable {
  /// Downloads that move at a time, at least 1; no more than the engine has connections.
  public var maximumActive: Int
  /// Which of those that wait, and have the same priority, comes next.
  public var order: DownloadOrder
  /// How often a transfer that broke off is tried again before the download fails.
  public var retries: RetryPolicy
  /// Sent to its own origin only.
  public var token: BearerToken?
  /// Where packages come from; from an https one no http URL of a package is followed. Nil: packages cannot be asked for.
  public var depot: WebURL?

  /// All of it.
  public init(
    maximumActive: Int, order: DownloadOrder, retries: RetryPolicy, token: BearerToken?, depot: WebURL?
  ) {
    self.maximumActive = maximumActive
    self.order = order
    self.retries = retries
    self.token = token
    self.depot = depot
  }

  /// Four at a time, first come, first served, five retries, no token, no depot.
  public static let standard = DownloadOptions(
    maximumActive: 4, order: .fifo, retries: .standard(retries: 5), token: nil, depot: nil)
}

extension HTTPClientSettings {
  /// For an engine of a `DownloadManager`: as many connections as downloads, and a transfer that stands still for 60 s is
  /// given up, to be tried again.
  public static func downloads(maximumActive: Int) -> HTTPClientSettings {
    var settings = standard
    settings.stallTimeout = .seconds(60)
    settings.maximumConnections = max(1, maximumActive)
    return settings
  }
}
