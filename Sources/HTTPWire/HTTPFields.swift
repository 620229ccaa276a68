/// Fields of a response in the order they are sent.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  /// Name and value of each line.
  public private(set) var lines: [(name: String, value: String)] = []

  /// No fields.
  public init() {}

  /// Fields in the order they are written.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// Adds a line. Control characters, which would end the line early (RFC 9112 §5), become spaces.
  public mutating func append(_ name: String, _ value: String) {
    let isClean = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    guard !isClean else { return lines.append((name, value)) }
    let cleaned = value.utf8.map { $0 >= 0x20 && $0 != 0x7f ? $0 : 0x20 }
    lines.append((name, String(decoding: cleaned, as: UTF8.self)))
  }

  /// The first value under a name of any case; setting it replaces all of that name, nil removes them.
  public subscript(_ name: String) -> String? {
    get { lines.first { $0.name.lowercased() == name.lowercased() }?.value }
    set {
      lines.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { append(name, newValue) }
    }
  }

  /// Whether both have the same lines in the same order.
  public static func == (left: HTTPFields, right: HTTPFields) -> Bool {
    left.lines.elementsEqual(right.lines) { $0 == $1 }
  }

  /// Feeds all lines to the hasher.
  public func hash(into hasher: inout Hasher) {
    for line in lines {
      hasher.combine(line.name)
      hasher.combine(line.value)
    }
  }
}
