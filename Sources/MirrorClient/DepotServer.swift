public import HTTPClient

/// A depot that a mirror may ask: its address, and what opens it.
public struct DepotServer: Sendable {
  /// http or https.
  public let url: WebURL
  /// Sent to its own origin only.
  public let token: BearerToken?

  /// Both.
  public init(url: WebURL, token: BearerToken?) {
    self.url = url
    self.token = token
  }
}
