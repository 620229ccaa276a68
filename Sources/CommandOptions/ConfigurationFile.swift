internal import Platform

/// A `--config` file: `name = value` a line, names as the options have them, `#` at the start of a line for comments.
/// One file serves all commands of a program; each takes the lines that concern it.
struct ConfigurationFile {
  /// Bytes beyond which it is no settings file.
  static let maximumSize: Int64 = 1 << 20

  private let path: String
  private let text: String

  init(path: String) throws(UsageError) {
    self.path = path
    do throws(SystemError) {
      let file = try File(path: path, mode: .read)
      let bytes = try file.bytes(at: 0, count: Int(min(file.size, Self.maximumSize)))
      text = String(decoding: bytes, as: UTF8.self)
    } catch {
      throw .unreadableFile(path: path, reason: error.description)
    }
  }

  func values(knownTo program: Program) throws(UsageError) -> [String: [Settings.Value]] {
    let options = program.commands.flatMap(\.options)
    var values: [String: [Settings.Value]] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.trimmed
      if content.isEmpty || content.hasPrefix("#") { continue }
      guard let equals = content.firstIndex(of: "=") else {
        throw .badLine(path: path, line: index + 1, reason: "expected `name = value`")
      }
      let name = String(content[..<equals].trimmed)
      guard let option = options.first(where: { $0.name == name }) else {
        let nearest = name.nearest(among: options.map(\.name)).map { "; did you mean \($0)?" } ?? ""
        throw .badLine(
          path: path, line: index + 1, reason: "unknown setting \(name.debugDescription)\(nearest)")
      }
      let value = Settings.Value(
        text: String(content[content.index(after: equals)...].trimmed), source: "\(path):\(index + 1)")
      values[name] = option.isList ? (values[name] ?? []) + [value] : [value]
    }
    return values
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text.drop { $0.isWhitespace }
  }
}
