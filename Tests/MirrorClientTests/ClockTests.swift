import DepotModel
import Platform
import TestSupport
import Testing
import ZipArchive

@testable import MirrorClient

/// Neither the server's clock nor this machine's decides anything: versions are what the channel points at.
@Suite struct ClockTests {
  private static let dayOne: Int64 = 0
  private static let year2100: Int64 = 4_102_444_800

  private func sync(_ bench: Bench, now: Int64) async throws -> SyncReport {
    let mirror = Mirror(
      destination: bench.destination, volume: SystemVolume(), limits: .standard,
      now: { Timestamp(seconds: now) })
    return try await bench.sync(Bench.options(), by: mirror)
  }

  @Test(arguments: [[dayOne, year2100], [year2100, dayOne]])
  func aClockOfThisMachineThatIsYearsOffHarmsNothing(times: [Int64]) async throws {
    let bench = try Bench()
    for (number, time) in times.enumerated() {
      try bench.depot.publish("a", "\(number)", "text \(number)")
      #expect(try await sync(bench, now: time).exitCode == 0)
      #expect(bench.page("a") == "text \(number)")
    }
    #expect(try await sync(bench, now: times[0]).outcomes == [])
    // Kept by what was used last, not by what claims to be newest.
    try bench.depot.publish("a", "2", "text 2")
    #expect(try await sync(bench, now: times[0]).exitCode == 0)
    #expect(bench.versions("a") == ["1", "2"])
  }

  @Test(arguments: [dayOne, year2100])
  func aServerWhoseClockIsYearsOffIsFollowed(time: Int64) async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "one")
    try await bench.sync()
    var release = try bench.depot.publish("a", "2", "two")
    release = Release(
      id: release.id, title: release.title, version: release.version, url: release.url,
      sha256: release.sha256,
      md5: release.md5, size: release.size, publishedAt: Timestamp(seconds: time))
    bench.depot.offer(release)
    let report = try await bench.sync()
    #expect(try bench.result(report, "a") == .updated(version("2"), previous: version("1")))
  }
}
