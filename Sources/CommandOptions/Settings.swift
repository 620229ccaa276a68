/// The settings of one run: each from its option, else its variable, else the file, else the option's default.
/// Asking for a value that cannot be read as what is asked for throws and names where it was written.
public struct Settings: Sendable {
  struct Value: Sendable, Hashable {
    let text: String
    let source: String
  }

  /// The command to run.
  public let command: Command
  let given: [String: [Value]]
  /// The words without dashes, in order.
  public let arguments: [String]

  /// Nil when it was not given and has no default.
  public func string(_ name: String) -> String? { value(name)?.text }

  /// Whether the option itself was given, and not only a variable, a line of the file or its default.
  public func isOnCommandLine(_ name: String) -> Bool { given[name]?.last?.source == "--\(name)" }

  /// Whether the option, its variable or a line of the file gave it a value.
  public func isGiven(_ name: String) -> Bool { given[name] != nil }

  /// As `string`, but missing is an error.
  public func required(_ name: String) throws(UsageError) -> String {
    guard let text = string(name) else { throw .missingOption(name) }
    return text
  }

  /// All values of a list option; its default, or none, when not given.
  public func strings(_ name: String) -> [String] {
    if let values = given[name] { return values.map(\.text) }
    return fallback(name).map { [$0.text] } ?? []
  }

  /// Whether a flag is on. Variables and file say `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`.
  public func flag(_ name: String) throws(UsageError) -> Bool {
    guard let value = value(name) else { return false }
    switch value.text.lowercased() {
    case "true", "1", "yes", "on": return true
    case "false", "0", "no", "off": return false
    default: throw .badValue(source: value.source, value: value.text, expected: "true or false")
    }
  }

  /// A whole number within `range`.
  public func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    try read(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Bytes: a whole number, or one followed by K, M, G or T (powers of 1024).
  public func size(_ name: String) throws(UsageError) -> Int64? {
    try read(name, expected: "a size such as 64K, 2M or 1G", Self.size)
  }

  /// A whole number followed by ms, s, m, h or d.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    try read(name, expected: "a duration such as 90s, 5m or 24h", Self.duration)
  }

  /// As `duration`, but not below `least`, which is whole milliseconds.
  public func duration(_ name: String, atLeast least: Duration) throws(UsageError) -> Duration? {
    try read(
      name, expected: "a duration of at least \(Int(least / .milliseconds(1)))ms, such as 90s, 5m or 24h"
    ) { text in
      Self.duration(text).flatMap { $0 < least ? nil : $0 }
    }
  }

  /// Whatever `parse` makes of the text; nil from it is an error that says what was expected.
  public func read<Result>(
    _ name: String, expected: String, _ parse: (String) -> Result?
  ) throws(UsageError) -> Result? {
    guard let value = value(name) else { return nil }
    guard let result = parse(value.text) else {
      throw .badValue(source: value.source, value: value.text, expected: expected)
    }
    return result
  }

  /// As `read`, for each value of a list option.
  public func readAll<Result>(
    _ name: String, expected: String, _ parse: (String) -> Result?
  ) throws(UsageError) -> [Result] {
    var results: [Result] = []
    for value in given[name] ?? fallback(name).map({ [$0] }) ?? [] {
      guard let result = parse(value.text) else {
        throw .badValue(source: value.source, value: value.text, expected: expected)
      }
      results.append(result)
    }
    return results
  }

  private func value(_ name: String) -> Value? { given[name]?.last ?? fallback(name) }

  private func fallback(_ name: String) -> Value? {
    command.options.first { $0.name == name }?.fallback.map { Value(text: $0, source: "--\(name)") }
  }

  /// Bytes: a whole number, or one of 1024 (K), 1024² (M), 1024³ (G) or 1024⁴ (T) of them. Nil for anything else.
  public static func size(_ text: String) -> Int64? {
    let shifts: [Character: Int64] = ["K": 10, "M": 20, "G": 30, "T": 40]
    guard let last = text.last else { return nil }
    let shift = shifts[Character(last.uppercased())]
    guard let number = Int64(shift == nil ? text[...] : text.dropLast()), number >= 0 else { return nil }
    let bytes = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return bytes.overflow ? nil : bytes.partialValue
  }

  static func duration(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number < 1 << 32 else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": return .milliseconds(number)
    case "s": return .seconds(number)
    case "m": return .seconds(number * 60)
    case "h": return .seconds(number * 3600)
    case "d": return .seconds(number * 86400)
    default: return nil
    }
  }
}
