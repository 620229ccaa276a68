import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct EncryptedPackageTests {
  private let facts = UnpackingFacts(
    root: "", namesEncoding: "utf-8", unpackedSize: 1000, fileCount: 2, isEncrypted: true)

  private func zip(
    _ page: FileContent, _ password: String, _ cipher: TestCipher = .aes(bits: 256, version: 2)
  )
    -> [UInt8]
  {
    ZipBuilder([
      ZipEntry("index.html", page).encrypted(cipher, password: password),
      ZipEntry("js/a.js", "let a").encrypted(cipher, password: password),
    ]).build()
  }

  private func options(_ file: String) throws -> SyncOptions {
    Bench.options(passwords: try PackagePasswords(file: Array(file.utf8)))
  }

  @Test(arguments: TestCipher.all) func unpacksWithTheirPassword(cipher: TestCipher) async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: zip("sealed", "geheim", cipher), facts: facts)
    try bench.depot.publish("plain", "1", "plain")
    let report = try await bench.sync(try options("geheim\n"))
    #expect(report.exitCode == 0, "\(report.failures)")
    #expect(bench.page("game") == "sealed" && bench.page("plain") == "plain")
    #expect(bench.packages("game") == ["1.zip"] && bench.leftovers("game") == [])
    let again = try await bench.sync(try options("geheim\n"))
    #expect(again.exitCode == 0 && again.outcomes.isEmpty)
  }

  @Test func needsAPasswordAndFetchesNothingWithout() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: zip("sealed", "geheim"), facts: facts)
    try bench.depot.publish("plain", "1", "plain")
    let report = try await bench.sync()
    #expect(report.exitCode == 1)
    #expect(bench.result(report, "game") == .failed(.passwordNeeded))
    #expect(bench.fetcher.fetched == ["plain 1"] && bench.page("plain") == "plain")
    #expect(try await bench.sync(try options("geheim")).exitCode == 0)
    #expect(bench.page("game") == "sealed")
  }

  /// A server that is wrong about it is found out by the package.
  @Test func needsAPasswordWhateverTheServerSays() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: zip("sealed", "geheim"))
    #expect(bench.result(try await bench.sync(), "game") == .failed(.passwordNeeded))
    #expect(bench.versions("game") == [] && bench.leftovers("game").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test(arguments: TestCipher.all) func aWrongPasswordLeavesTheOldVersion(cipher: TestCipher) async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    try bench.depot.publish("game", "2", zip: zip("new", "geheim", cipher), facts: facts)
    let report = try await bench.sync(try options("other"))
    #expect(
      bench.result(report, "game") == .failed(.wrongPassword(paths: ["\"index.html\"", "\"js/a.js\""])))
    #expect(report.exitCode == 1 && report.failures.allSatisfy { !"\($0.error)".contains("other") })
    #expect(bench.page("game") == "old" && bench.current("game") == "versions/1")
    #expect(bench.versions("game") == ["1"])
    #expect(try await bench.sync(try options("geheim")).exitCode == 0)
    #expect(bench.page("game") == "new")
  }

  @Test func triesEveryPasswordOfAGame() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: zip("one", "first"), facts: facts)
    try bench.depot.publish("other", "1", zip: zip("two", "third"), facts: facts)
    let report = try await bench.sync(try options("game second\ngame first\n* third\n"))
    #expect(report.exitCode == 0, "\(report.failures)")
    #expect(bench.page("game") == "one" && bench.page("other") == "two")
  }

  @Test func nothingOfAChangedPackageStaysInstalled() async throws {
    let bench = try Bench()
    let damaged = ZipEntry("js/a.js", "let a").encrypted(.aes(bits: 256, version: 2), password: "geheim").with
    {
      $0.payload[$0.payload.count - 1] ^= 1
    }
    let sound = ["index.html", "b", "c"].map {
      ZipEntry($0, "x").encrypted(.aes(bits: 256, version: 2), password: "geheim")
    }
    try bench.depot.publish("game", "1", zip: ZipBuilder(sound + [damaged]).build(), facts: facts)
    let report = try await bench.sync(try options("geheim"))
    guard case .failed(.refused(let findings)) = bench.result(report, "game") else {
      Issue.record("\(report.outcomes)")
      return
    }
    #expect(findings.count == 1 && findings[0].contains("authentication code"))
    #expect(bench.page("game") == nil && bench.versions("game") == [])
    #expect(bench.leftovers("game").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func keepsEncryptedPackagesUnopenedWhenItUnpacksNothing() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", zip: zip("sealed", "geheim"), facts: facts)
    let report = try await bench.sync(Bench.options(unpacks: false))
    #expect(report.exitCode == 0 && bench.packages("game") == ["1.zip"])
  }

  @Test func followsARollBackToAnEncryptedVersionWithoutItsPassword() async throws {
    let bench = try Bench()
    let first = try bench.depot.publish("game", "1", zip: zip("sealed", "geheim"), facts: facts)
    try await bench.sync(try options("geheim"))
    try bench.depot.publish("game", "2", "plain")
    try await bench.sync()
    #expect(bench.page("game") == "plain")
    bench.depot.rollBack(to: first)
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.page("game") == "sealed", "what is unpacked needs no password")
  }
}
