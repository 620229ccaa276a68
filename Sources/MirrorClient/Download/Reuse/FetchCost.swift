/// What bringing a package here takes, as far as that can be known before.
public struct FetchCost: Sendable, Hashable {
  /// Bytes over the network, requests counted at 250 each where there are several; 0 when all of it is here.
  public var bytes: Int64
  /// Whether it is put together with the help of what stands here, rather than fetched as it is.
  public var isReusing: Bool

  /// All of it.
  public init(bytes: Int64, isReusing: Bool) {
    self.bytes = bytes
    self.isReusing = isReusing
  }
}
