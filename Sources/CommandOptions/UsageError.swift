/// What is wrong with the words a program was started with, or with its variables and file. Exit code 64.
public enum UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownCommand(String, nearest: String?)
  case unknownOption(String, nearest: String?)
  case missingValue(option: String)
  case unexpectedValue(option: String)
  case missingOption(String)
  case missingArgument(String)
  case unexpectedArgument(String)
  /// `source` is `--name`, the variable, or file and line.
  case badValue(source: String, value: String, expected: String)
  case unreadableFile(path: String, reason: String)
  case badLine(path: String, line: Int, reason: String)

  /// One line, without the program's name.
  public var description: String {
    switch self {
    case .unknownCommand(let name, let nearest):
      "unknown command \(name.quoted)\(Self.suggestion(nearest, prefix: ""))"
    case .unknownOption(let name, let nearest):
      "unknown option --\(name)\(Self.suggestion(nearest, prefix: "--"))"
    case .missingValue(let option): "--\(option) needs a value"
    case .unexpectedValue(let option): "--\(option) takes no value"
    case .missingOption(let option): "--\(option) is required"
    case .missingArgument(let name): "\(name) is required"
    case .unexpectedArgument(let text): "unexpected argument \(text.quoted)"
    case .badValue(let source, let value, let expected): "\(source): \(value.quoted) is not \(expected)"
    case .unreadableFile(let path, let reason): "cannot read \(path): \(reason)"
    case .badLine(let path, let line, let reason): "\(path):\(line): \(reason)"
    }
  }

  private static func suggestion(_ nearest: String?, prefix: String) -> String {
    nearest.map { "; did you mean \(prefix)\($0)?" } ?? ""
  }
}

extension String {
  fileprivate var quoted: String { debugDescription }

  /// The candidate that takes the fewest edits, if that is few enough to be a slip.
  func nearest(among candidates: [String]) -> String? {
    let scored = candidates.map { (name: $0, edits: edits(to: $0)) }
    guard let best = scored.min(by: { $0.edits < $1.edits }), best.edits <= max(2, count / 3) else {
      return nil
    }
    return best.name
  }

  /// Levenshtein's distance: letters to insert, drop or change.
  private func edits(to other: String) -> Int {
    let target = Array(other)
    var previous = Array(0...target.count)
    for (row, letter) in self.enumerated() {
      var current = [row + 1]
      for (column, candidate) in target.enumerated() {
        let change = previous[column] + (letter == candidate ? 0 : 1)
        current.append(Swift.min(change, previous[column + 1] + 1, current[column] + 1))
      }
      previous = current
    }
    return previous.last ?? 0
  }
}
