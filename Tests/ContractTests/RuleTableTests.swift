import Foundation
import Testing
import ZipArchive

/// README's table of rules beside the rules.
@Suite struct RuleTableTests {
  @Test(arguments: Rule.allCases) func everyRuleHasItsLineOfAdvice(rule: Rule) throws {
    let readme = try String(contentsOf: OpenAPITests.repository.appending(path: "README.md"), encoding: .utf8)
    // A bar ends a cell, in code as well.
    let advice = rule.advice.replacing("|", with: "\\|")
    #expect(readme.contains("\n| `\(rule.rawValue)` | \(rule.severity.rawValue) | \(advice) |\n"))
    #expect(!rule.advice.hasSuffix(".") && !rule.advice.contains("\n"))
  }

  @Test func theTableNamesNoOtherRule() throws {
    let readme = try String(contentsOf: OpenAPITests.repository.appending(path: "README.md"), encoding: .utf8)
    let table = readme.components(separatedBy: "## Rules for packages\n")[1].components(separatedBy: "\n## ")[
      0]
    #expect(table.split(separator: "\n").count { $0.hasPrefix("| `") } == Rule.allCases.count)
  }

  @Test func everyLimitIsDocumentedWithItsDefault() throws {
    let page = try String(
      contentsOf: OpenAPITests.repository.appending(path: "docs/operations.md"), encoding: .utf8)
    for setting in ZipLimits.settings {
      #expect(page.contains("| `--\(setting.name)` | \(setting.standard) |"))
    }
  }
}
