import HTTPClient
import Testing

@testable import MirrorClient

@Suite struct DownloadEntryTests {
  private final class Held: Sendable {}

  private let download: Download

  init() throws { download = Download(url: try #require(WebURL("http://depot.test/a.zip"))) }

  /// Work may hold on to the manager that holds on to it.
  @Test(arguments: [DownloadReceipt.State.suspended, .failed, .completed])
  func whatIsStoppedWhileItRunsLetsGoOfItsWork(state: DownloadReceipt.State) {
    var entry = DownloadEntry(DownloadReceipt(download, position: 1))
    var held: Held? = Held()
    weak let left = held
    entry.ask(for: download, position: 1) { [held] (_, _) async throws(DownloadError) in
      _ = held
      throw .cancelled
    }
    held = nil
    #expect(entry.begin(run: 1) != nil)
    entry.stop(state)
    #expect(left != nil)
    #expect(entry.end(.failure(.cancelled)) == .atRest)
    #expect(left == nil)
  }

  @Test func whatIsAskedForAgainWhileItStopsKeepsItsNewWork() {
    var entry = DownloadEntry(DownloadReceipt(download, position: 1))
    for run in 1...2 {
      entry.ask(for: download, position: Int64(run)) { (_, _) async throws(DownloadError) in
        throw .cancelled
      }
      if run == 1 { #expect(entry.begin(run: 1) != nil) }
    }
    #expect(entry.end(.failure(.cancelled)) == .again)
    #expect(entry.begin(run: 2) != nil)
  }
}
