/// What a `?` in a statement stands for.
public enum Value: Sendable, Hashable {
  /// NULL.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// UTF-8 text, NULs included.
  case text(String)
  /// Bytes; empty ones are an empty blob, not NULL.
  case blob([UInt8])

  /// Text, or NULL for nil.
  public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  /// An integer, or NULL for nil.
  public init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  /// A blob, or NULL for nil.
  public init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
  /// 1 or 0, as STRICT tables keep booleans.
  public init(_ flag: Bool?) { self = flag.map { Value($0) } ?? .null }
  /// 1 or 0.
  public init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
}
