import DepotModel
import HTTPClient
import MirrorClient
import Platform
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct RebuildResumeTests {
  private static let old = game(["index.html": 1, "a": 2, "b": 3, "c": 4, "d": 5], size: 40_000)
  private static let new = game(["index.html": 8, "a": 2, "b": 9, "c": 4, "d": 6], size: 40_000)

  private func bench(volume: any Volume = SystemVolume(), retries: Int = 3) throws -> ReuseBench {
    try ReuseBench(old: [Self.old], new: Self.new, volume: volume, retries: retries)
  }

  /// What stands there is a beginning of the package.
  private func expectPrefix(_ bench: ReuseBench) throws -> Int {
    let left = try bench.download.partial(bench.source)
    #expect(left == Array(bench.new.bytes.prefix(left.count)))
    return left.count
  }

  /// Each run is cut after so many bytes of a part, whichever it is; the next one asks for no byte again.
  @Test func aRebuildThatIsCutAnywhereGoesOnFromThere() async throws {
    let cuts = [0, 1, 100, 16_384, 39_999] + (0..<45).map { ($0 * 7_919 + 13) % 40_000 }
    let uncut = try await bench().fetch().bytesFetched
    for (number, cut) in cuts.enumerated() {
      let bench = try bench(retries: 0)
      let part = number % 3
      let done = Mutex(false)
      bench.serve { request in
        guard request.target == "/p.zip", bench.ranges.count == part + 1,
          !done.withLock({ done in
            defer { done = true }; return done
          })
        else { return nil }
        return bench.new.part(request, cut: cut)
      }
      guard case .transfer? = try await bench.failure() else {
        Issue.record("cut at \(cut) of part \(part): not noticed")
        continue
      }
      let left = try expectPrefix(bench)
      bench.serve(nil)
      let before = bench.download.downloader.bytesFetched
      let second = try await bench.fetch()
      #expect(second.notes.isEmpty)
      #expect(bench.indexRequests == 1, "the index is here since the first run")
      #expect(left > 0 || part == 0)
      // Not one byte came twice. Behind the last part is the directory alone: it comes along where that costs less.
      let directory = part == 2 ? Int64(400) : 0
      #expect(
        (uncut...(uncut + directory)).contains(before + second.bytesFetched), "cut at \(cut) of part \(part)")
      #expect(bench.ranges.count == 4)
    }
  }

  @Test func aCutIsTriedAgainAtOnce() async throws {
    let bench = try bench(retries: 5)
    let cuts = Mutex([10, 20_000, 0, 10_000])
    bench.serve { request in
      guard request.target == "/p.zip", let cut = cuts.withLock({ $0.popLast() }) else { return nil }
      return bench.new.part(request, cut: cut)
    }
    let package = try await bench.fetch()
    #expect(package.notes.isEmpty)
    #expect(package.bytesFetched < Int64(bench.index.count + 120_400))
    #expect(bench.ranges.count == 7)
  }

  @Test func aCancelledRebuildKeepsWhatCame() async throws {
    let bench = try bench()
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    bench.serve { request in
      guard request.target == "/p.zip", bench.ranges.count == 2 else { return nil }
      let half = bench.new.part(request, cut: 20_000).dropLast()
      return half + [.call { arrived.yield(()) }, .stall]
    }
    let source = bench.source
    let aid = try bench.aid()
    let task = Task { try await bench.download.downloader.fetch(source, aid: aid) { _ in } }
    for await _ in arrivals { break }
    task.cancel()
    let result = await task.result
    guard case .failure(let error as DownloadError) = result, case .cancelled = error else {
      Issue.record("not cancelled: \(result)")
      return
    }
    let left = try expectPrefix(bench)
    // The first part, what is copied behind it, and the head of the second at least.
    #expect(left > 80_000)
    bench.serve(nil)
    let second = try await bench.fetch()
    #expect(second.bytesFetched < 80_300)
    #expect(bench.indexRequests == 1)
  }

  @Test func aDiskThatIsFullAtAnyWriteLeavesABeginning() async throws {
    var failures = 0
    for step in 1..<40 {
      let volume = FaultyVolume(failing: step, errno: 28)
      let bench = try bench(volume: volume)
      guard let error = try await bench.failure() else {
        #expect(try bench.download.partial(bench.source) == bench.new.bytes)
        // An index that could not be kept is asked for again, should it be needed: no reason to fail.
        if volume.failed == nil { break }
        #expect(volume.failed?.hasSuffix(".index") == true)
        continue
      }
      failures += 1
      #expect(error.isOutOfSpace)
      _ = try expectPrefix(bench)
      // The volume fails once: there is room again.
      #expect(try await bench.fetch().notes.isEmpty)
    }
    #expect(failures >= 5)
  }

  @Test func anIndexThatWasDamagedOnTheDiskIsFetchedAgain() async throws {
    let bench = try bench()
    _ = try await bench.download.downloader.cost(of: bench.source, aid: bench.aid())
    let name = "\(bench.source.sha256.hex).index"
    try SystemVolume().write([0], to: bench.download.partials.file(name, mode: .readWrite), at: 40)
    let package = try await bench.fetch()
    #expect(package.notes.isEmpty)
    #expect(bench.indexRequests == 2)
    // Both counted.
    #expect(package.bytesFetched == Int64(2 * bench.index.count + bench.rangeBytes))
  }
}
