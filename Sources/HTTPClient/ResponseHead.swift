/// Status and fields of a final response (RFC 9110 §15): never an interim 1xx one, never a proxy's answer to CONNECT.
public struct ResponseHead: Sendable, Hashable {
  /// One field line, without the white space around its value.
  public struct Field: Sendable, Hashable {
    /// As it was sent; compare through `ResponseHead.subscript`.
    public let name: String
    /// Without the white space around it.
    public let value: String
  }

  /// 200…599.
  public let status: Int
  /// In the order they came.
  public let fields: [Field]

  /// A head as parsed, or as a test needs it.
  public init(status: Int, fields: [Field]) {
    self.status = status
    self.fields = fields
  }

  /// The first value of the field of that name, whatever its case.
  public subscript(name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }

  /// 200…299.
  public var isSuccess: Bool { (200..<300).contains(status) }

  /// `Content-Length`, when it is one number of bytes.
  public var contentLength: Int64? { self["Content-Length"].flatMap { Self.decimal($0[...]) } }

  /// Seconds since 1970 of a field that holds a date (RFC 9110 §5.6.7); nil when absent or unreadable.
  public func date(_ name: String) -> Int64? { self[name].flatMap { Curl.httpDate($0) } }

  /// `Content-Range` (RFC 9110 §14.4) of a 206 or 416; nil when absent, unreadable or given more than once.
  public var contentRange: ContentRange? {
    let values = fields.filter { $0.name.lowercased() == "content-range" }
    return values.count == 1 ? ContentRange(values[0].value) : nil
  }

  static func decimal(_ text: Substring) -> Int64? {
    // Int64's own reader takes a sign, which the grammar does not.
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }
}

/// The value of `Content-Range`: which bytes a 206 carries, or how long the thing is that a 416 speaks of.
public struct ContentRange: Sendable, Hashable {
  /// First and last byte carried; nil in `bytes */n`.
  public let range: ClosedRange<Int64>?
  /// Bytes of the whole; nil when sent as `*`.
  public let total: Int64?

  /// Reads `bytes a-b/n`, `bytes a-b/*` and `bytes */n`.
  public init?(_ text: String) {
    guard text.prefix(6).lowercased() == "bytes " else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] == "*" {
      total = nil
    } else {
      guard let number = ResponseHead.decimal(parts[1]) else { return nil }
      total = number
    }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      range = nil
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = ResponseHead.decimal(ends[0]),
      let last = ResponseHead.decimal(ends[1]),
      first <= last, total.map({ last < $0 }) ?? true
    else { return nil }
    range = first...last
  }
}
