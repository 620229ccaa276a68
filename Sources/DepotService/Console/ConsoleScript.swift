internal import DepotModel
internal import ZipArchive

/// What the console's page does. It is plain script without a library, and makes each element by itself: no text of a
/// publisher is ever read as markup.
enum ConsoleScript {
  static let text = "'use strict';\n" + advice + words + core + games + game + pages

  /// What to do about a finding, by its rule.
  private static var advice: String {
    let rules = Dictionary(Rule.allCases.map { ($0.rawValue, $0.advice) }) { first, _ in first }
    // Encoding strings cannot fail; without advice the findings still tell what is wrong.
    let json = (try? JSON.encode(rules)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    return "const ruleAdvice = \(json);\n"
  }
}
