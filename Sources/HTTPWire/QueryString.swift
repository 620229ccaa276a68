/// The names and values after a target's `?`.
///
/// In a value a `+` is a plus: Foundation's URL types leave it unescaped, and versions contain it. What people write is
/// sent by HTML forms and most libraries with `+` for a space: such a name's value is `Item.formValue`.
public struct QueryString: Hashable, Sendable {
  /// One `name=value`, decoded; the value is empty without a `=`.
  public struct Item: Hashable, Sendable {
    /// What stands before the first `=`.
    public let name: String
    /// What stands after it.
    public let value: String
    /// The same as `application/x-www-form-urlencoded` means it (the URL standard, §5.1): a bare `+` is a space.
    public let formValue: String
  }

  /// All of them in the order they came.
  public let items: [Item]

  /// Reads a query, without its `?`; nil for a broken `%` or bytes that are not UTF-8.
  public init?(_ query: String) {
    let bytes = Array(query.utf8)
    self.init(bytes.span, in: 0..<bytes.count)
  }

  init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
    var items: [Item] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let end = bytes.firstIndex(of: UInt8(ascii: "&"), in: start..<range.upperBound) ?? range.upperBound
      if start < end {
        let equals = bytes.firstIndex(of: UInt8(ascii: "="), in: start..<end) ?? end
        guard let name = PercentEncoding.decode(bytes, in: start..<equals),
          let value = PercentEncoding.decode(bytes, in: min(equals + 1, end)..<end)
        else { return nil }
        let formValue = Self.formValue(bytes, in: min(equals + 1, end)..<end) ?? value
        items.append(Item(name: name, value: value, formValue: formValue))
      }
      start = end + 1
    }
    self.items = items
  }

  /// Nil when there is no `+` to read differently.
  private static func formValue(_ bytes: Span<UInt8>, in range: Range<Int>) -> String? {
    guard bytes.firstIndex(of: UInt8(ascii: "+"), in: range) != nil else { return nil }
    var spaced: [UInt8] = []
    for index in range { spaced.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index]) }
    return PercentEncoding.decode(spaced.span, in: 0..<spaced.count)
  }

  /// The first value of a name; nil when it is not there.
  public subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// The first name that came more than once; nil when none did.
  public var repeatedName: String? {
    var seen: Set<String> = []
    return items.first { !seen.insert($0.name).inserted }?.name
  }
}

extension HTTPRequest {
  /// The query, decoded: empty without one, nil when it is unreadable.
  public var queryString: QueryString? { QueryString(bytes.span, in: querySlice.range) }

  /// The path, split and decoded; nil when it is unreadable.
  public var pathSegments: PathSegments? { PathSegments(bytes.span, in: pathSlice.range) }
}
