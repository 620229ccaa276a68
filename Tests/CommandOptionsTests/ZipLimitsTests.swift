import CommandOptions
import Testing
import ZipArchive

@Suite struct ZipLimitsTests {
  private func limits(_ words: String..., environment: [String: String] = [:]) throws -> ZipLimits {
    let program = Program(
      name: "depot", version: "1", variablePrefix: "DEPOT_", summary: "keeps games",
      commands: [Command("inspect", options: Option.zipLimits, summary: "inspects")])
    let invocation = try program.invocation(arguments: ["inspect"] + words, environment: environment)
    guard case .run(let settings) = invocation else { throw CancellationError() }
    return try settings.zipLimits()
  }

  @Test func theDefaultsAreTheStandard() throws {
    #expect(try limits() == .standard)
    #expect(Option.zipLimits.allSatisfy { $0.fallback != nil })
  }

  @Test func everyLimitHasAnOptionOfItsOwn() throws {
    for setting in ZipLimits.settings {
      let changed = try limits("--\(setting.name)", "7")
      #expect(setting.value(changed) == 7)
      for other in ZipLimits.settings where other.name != setting.name {
        #expect(other.value(changed) == other.value(.standard))
      }
    }
  }

  @Test func variablesSetThemToo() throws {
    #expect(try limits(environment: ["DEPOT_MAX_UNPACKED": "20G"]).unpackedSize == 20 << 30)
  }

  @Test(arguments: [
    ("--max-entries", "0"), ("--max-entries", "1K"), ("--max-entry-ratio", "0"),
    ("--max-package-ratio", "-1"),
    ("--max-unpacked", "much"), ("--ratio-floor", "-1"),
  ])
  func refusesWhatIsNoLimit(option: String, value: String) {
    #expect(throws: UsageError.self) { try limits(option, value) }
  }

  @Test func aCommandWithoutThemHasTheStandard() throws {
    let program = Program(
      name: "depot", version: "1", variablePrefix: "DEPOT_", summary: "keeps games",
      commands: [Command("verify", summary: "verifies")])
    guard case .run(let settings) = try program.invocation(arguments: ["verify"], environment: [:]) else {
      throw CancellationError()
    }
    #expect(try settings.zipLimits() == .standard)
  }
}
