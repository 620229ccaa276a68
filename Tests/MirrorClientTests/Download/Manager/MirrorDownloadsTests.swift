import DepotModel
import Platform
import SQLite
import Synchronization
import Testing

@testable import MirrorClient

@Suite struct MirrorDownloadsTests {
  private func fetchOrder(_ bench: Bench) -> [String] {
    bench.events.compactMap { event in
      if case .fetching(let id, _, _) = event { id.text } else { nil }
    }
  }

  @Test func fetchesInTheOrderOfNames() async throws {
    let bench = try Bench()
    for number in (10..<30).shuffled() { try bench.depot.publish("g\(number)", "1", "\(number)") }
    try await bench.sync(Bench.options(concurrency: 1))
    let order = fetchOrder(bench)
    #expect(order.count == 20)
    // Three work side by side before they come to the queue; which of them is the quickest is chance.
    #expect(order.prefix(10).allSatisfy { $0 <= "g22" }, "\(order)")
  }

  @Test func fetchesTheLastOnesFirstWhenAsked() async throws {
    let bench = try Bench()
    for number in 10..<30 { try bench.depot.publish("g\(number)", "1", "\(number)") }
    try await bench.sync(Bench.options(concurrency: 1, order: .lifo))
    let order = fetchOrder(bench)
    #expect(order.count == 20)
    // Of those that work side by side, the last wins; the one that began waits no longer than the last of all.
    #expect(order.prefix(10).allSatisfy { $0 >= "g17" })
  }

  @Test func keepsNoReceiptOfWhatIsInstalled() async throws {
    let bench = try Bench()
    for name in ["a", "b"] { try bench.depot.publish(name, "1", name) }
    try await bench.sync()
    #expect(try Store(root: bench.destination, .read).packageReceipts().isEmpty)
    #expect(try bench.mirror().status().partials.isEmpty)
  }

  @Test func statusTellsHowFarAnUnfinishedPackageIs() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("a", "1.0", "a page")
    bench.fetcher.holdBack()
    let task = Task { try await bench.sync() }
    while bench.fetcher.waiting == 0 { await Task.yield() }
    // Which lets go of the fetch that is held back.
    task.cancel()
    await #expect(throws: MirrorError.cancelled) { try await task.value }
    let partial = try #require(try bench.mirror().status().partials.first)
    #expect(partial.sha256 == release.sha256.hex)
    #expect(partial.size == release.size / 2)
    #expect(partial.expected == release.size)
    #expect(partial.label == "a 1.0")
    #expect(partial.state == .suspended)
    let status = try bench.mirror().status()
    #expect(status.text.contains("\n  a 1.0: "), "\(status.text)")
    #expect(status.json.contains(#""expected":\#(release.size)"#))
  }

  @Test func sweepsTheReceiptOfAPackageNobodyWants() async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "first")
    bench.fetcher.fail("a", with: .download(reason: "no"))
    try await bench.sync()
    #expect(
      try Store(root: bench.destination, .read).packageReceipts().values.map(\.state) == [.failed])
    bench.fetcher.fail("a", with: nil)
    try bench.depot.publish("a", "2", "second")
    try await bench.sync()
    #expect(bench.page("a") == "second")
    #expect(try Store(root: bench.destination, .read).packageReceipts().isEmpty)
  }

  @Test func aReceiptOfACrashedRunDoesNotStopTheNext() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("a", "1", "a")
    try await bench.sync(Bench.options(only: ["nothing"]))
    var receipt = DownloadReceipt(Download(package: PackageSource(release)), position: 7)
    receipt.state = .downloading
    receipt.durable = 10
    let store = try Store(root: bench.destination)
    try store.withReceipts { [receipt] (database) throws(SQLiteError) in
      try ReceiptTable.put(receipt, in: database)
    }
    try await bench.sync()
    #expect(bench.page("a") == "a")
    #expect(try store.packageReceipts().isEmpty)
  }
}
