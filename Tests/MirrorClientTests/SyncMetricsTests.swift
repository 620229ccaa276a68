import DepotModel
import Testing

@testable import MirrorClient

@Suite struct SyncMetricsTests {
  private func text(
    exitCode: Int32 = 0, report: SyncReport? = nil, before: String? = nil, destination: String = "/srv/games",
    endedAt: Int64 = 1_700_000_012_345
  ) -> String {
    SyncMetrics(
      destination: destination, version: "1.2", startedAt: 1_700_000_000_000, endedAt: endedAt,
      exitCode: exitCode,
      report: report, status: nil, before: before
    ).text
  }

  private func line(_ name: String, _ text: String) -> Substring? {
    text.split(separator: "\n").first { $0.hasPrefix("mirror_sync_\(name){") }
  }

  @Test func saysWhatTheRunDid() throws {
    var report = SyncReport()
    let version = try #require(H5Version("2"))
    report.outcomes = [
      GameOutcome(game: "a", result: .installed(version), bytesFetched: 100),
      GameOutcome(game: "b", result: .updated(version, previous: version), bytesFetched: 23),
      GameOutcome(game: "c", result: .unchanged(version), bytesFetched: 0),
      GameOutcome(game: "d", result: .failed(.passwordNeeded), bytesFetched: 7),
    ]
    let text = text(exitCode: 1, report: report)
    let label = #"{dest="/srv/games"}"#
    #expect(line("last_run_changed_games", text) == "mirror_sync_last_run_changed_games\(label) 2")
    #expect(line("last_run_failed_games", text) == "mirror_sync_last_run_failed_games\(label) 1")
    #expect(line("last_run_fetched_bytes", text) == "mirror_sync_last_run_fetched_bytes\(label) 130")
    #expect(line("last_run_exit_code", text) == "mirror_sync_last_run_exit_code\(label) 1")
    #expect(line("last_run_duration_seconds", text) == "mirror_sync_last_run_duration_seconds\(label) 12.345")
    #expect(
      line("last_run_timestamp_seconds", text)
        == "mirror_sync_last_run_timestamp_seconds\(label) 1700000012.345")
    #expect(line("build_info", text) == #"mirror_sync_build_info{dest="/srv/games",version="1.2"} 1"#)
  }

  @Test func everyLineIsOfTheFormatAndEveryMetricHasOneHelpAndOneType() {
    let text = text()
    #expect(text.hasSuffix("\n"))
    let lines = text.split(separator: "\n")
    for kind in ["# HELP ", "# TYPE "] {
      let names = lines.filter { $0.hasPrefix(kind) }.map { $0.dropFirst(kind.count).prefix { $0 != " " } }
      #expect(Set(names).count == names.count)
    }
    for line in lines where !line.hasPrefix("#") {
      #expect(
        line.wholeMatch(of: /mirror_sync_[a-z_]+\{dest="[^"]*"(,[a-z]+="[^"]*")*\} [0-9.]+/) != nil, "\(line)"
      )
    }
  }

  @Test func theLastSuccessIsTakenOverFromTheFileBefore() {
    let good = text()
    let bad = text(exitCode: 69, before: good, endedAt: 1_700_000_999_000)
    #expect(line("last_success_timestamp_seconds", bad) == line("last_success_timestamp_seconds", good))
    #expect(line("last_success_timestamp_seconds", text(exitCode: 69)) == nil)
    #expect(line("last_success_timestamp_seconds", text(exitCode: 69, before: "rubbish\n\u{0}")) == nil)
    let other = text(exitCode: 69, before: text(destination: "/srv/other"))
    #expect(line("last_success_timestamp_seconds", other) == nil, "that one is of another mirror")
    let broken = good.replacing("1700000012.345", with: "soon")
    #expect(line("last_success_timestamp_seconds", text(exitCode: 69, before: broken)) == nil)
  }

  @Test func aClockThatWentBackGivesNoNegativeTime() {
    #expect(line("last_run_duration_seconds", text(endedAt: 1))?.hasSuffix(" 0.000") == true)
  }

  @Test func namesOfFoldersAreEscaped() {
    #expect(text(destination: "a\"b\\c\nd").contains(#"{dest="a\"b\\c\nd"} "#))
  }
}
