/// What a request head may weigh. Going over is answered, never cut short.
public struct HTTPLimits: Sendable, Hashable {
  /// Bytes of the whole head, request line and last empty line included; more is a 431.
  public let headBytes: Int
  /// Field lines; more is a 431.
  public let fieldCount: Int
  /// Bytes of the request target; more is a 414.
  public let targetBytes: Int

  /// Limits of one's own; none may be negative.
  public init(headBytes: Int, fieldCount: Int, targetBytes: Int) {
    self.headBytes = headBytes
    self.fieldCount = fieldCount
    self.targetBytes = targetBytes
  }

  /// 32 KiB, 100 lines, 8 KiB: RFC 9112 §3 asks for targets of at least 8,000 bytes.
  public static let standard = HTTPLimits(headBytes: 32 << 10, fieldCount: 100, targetBytes: 8 << 10)
}
