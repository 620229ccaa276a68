import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct KeepNoZipTests {
  private let options = Bench.options(keepsPackages: false)

  @Test func thePackageGoesOnceItIsUnpacked() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "one")
    #expect(try await bench.sync(options).exitCode == 0)
    #expect(bench.page("game") == "one")
    #expect(bench.packages("game") == [] && bench.leftovers("game") == [])
    #expect(try bench.mirror().isInstalled(game("game")))
    #expect(try bench.mirror().installedGames().map(\.hasPackage) == [false])
    let status = try bench.mirror().status()
    #expect(status.games.map(\.state) == [.inStep] && status.text.contains("no zip"))
  }

  @Test func itIsNotMissedByLaterSyncs() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "one")
    try await bench.sync(options)
    bench.fetcher.forget()
    bench.depot.forgetHistory()
    #expect(try await bench.sync(options).exitCode == 0)
    // Also when packages are kept from now on: the next version's is.
    bench.depot.forgetHistory()
    #expect(try await bench.sync().exitCode == 0)
    #expect(bench.fetcher.fetched == [])
    try bench.depot.publish("game", "2", "two")
    try await bench.sync()
    #expect(bench.packages("game") == ["2.zip"] && bench.page("game") == "two")
  }

  @Test func packagesOfBeforeStayUntilTheirVersionGoes() async throws {
    let bench = try Bench()
    for number in 1...3 {
      try bench.depot.publish("game", "\(number)", "text \(number)")
      try await bench.sync(Bench.options(keep: 2, keepsPackages: number == 1))
      #expect(bench.packages("game") == (number == 3 ? [] : ["1.zip"]))
    }
    #expect(bench.versions("game") == ["2", "3"])
  }

  @Test func otherBytesOfTheSameVersionLeaveNoPackage() async throws {
    let bench = try Bench()
    try bench.depot.publish("game", "1", "old")
    try await bench.sync()
    try bench.depot.publish("game", "1", "new")
    try await bench.sync(options)
    #expect(bench.page("game") == "new" && bench.packages("game") == [])
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func twoGamesMayHaveTheVerySamePackage() async throws {
    let bench = try Bench()
    for name in ["a", "b", "c"] { try bench.depot.publish(name, "1", "the same") }
    #expect(try await bench.sync(Bench.options(concurrency: 3, keepsPackages: false)).exitCode == 0)
    for name in ["a", "b", "c"] { #expect(bench.page(name) == "the same" && bench.leftovers(name) == []) }
  }
}
