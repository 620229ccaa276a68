import MirrorClient
import Platform

/// The file that `--metrics-file` names: replaced in one step, so that node_exporter never reads half of it.
struct MetricsFile {
  /// More than we ever write.
  private static let limit = 64 << 10

  let path: String

  /// Tells what a run did. A run that found another at work leaves the file to that one.
  func write(
    _ mirror: Mirror, _ result: Result<SyncReport, MirrorError>, exitCode: Int32, startedAt: Int64
  ) {
    if case .failure(.locked) = result { return }
    let before = try? File(path: path, mode: .read).bytes(at: 0, count: Self.limit)
    let metrics = SyncMetrics(
      destination: mirror.destination, version: Build.version, startedAt: startedAt,
      endedAt: SystemClock.unixMilliseconds, exitCode: exitCode, report: try? result.get(),
      status: try? mirror.status(), before: before.map { String(decoding: $0, as: UTF8.self) })
    do throws(SystemError) {
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
      let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
      let pending = try PendingFile(replacing: name, in: try Directory(path: folder))
      let volume = SystemVolume()
      try volume.write(Array(metrics.text.utf8), to: pending.file, at: 0)
      try pending.commit(through: volume)
    } catch {
      SyncCommand.tell("--metrics-file cannot be written: \(error)")
    }
  }
}
