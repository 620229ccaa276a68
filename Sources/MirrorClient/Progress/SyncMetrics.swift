internal import DepotModel

/// What one run did and how the mirror stands, for the textfile collector of Prometheus' node_exporter
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// Every line has the label `dest`: files of several mirrors on one machine are read together.
public struct SyncMetrics: Sendable {
  /// The whole file.
  public let text: String

  /// - Parameters:
  ///   - startedAt: milliseconds since 1970, as all times here.
  ///   - report: of the run; nil for one that could do nothing.
  ///   - status: how the mirror stands now; nil when that cannot be told.
  ///   - before: the file that the run before left; the time of the last success is taken over from it.
  public init(
    destination: String, version: String, startedAt: Int64, endedAt: Int64, exitCode: Int32,
    report: SyncReport?, status: MirrorStatus?, before: String?
  ) {
    var page = Page(label: #"dest="\#(Self.escaped(destination))""#)
    page.add("build_info", "1 for the program that wrote this.", 1, #"version="\#(Self.escaped(version))""#)
    page.add("last_run_timestamp_seconds", "When the last run ended.", Self.seconds(endedAt))
    page.add("last_run_exit_code", "What it ended with: 0 in step.", "\(exitCode)")
    page.add("last_run_duration_seconds", "How long it took.", Self.seconds(max(0, endedAt - startedAt)))
    if let success = exitCode == 0 ? Self.seconds(endedAt) : page.value(of: Self.lastSuccess, in: before) {
      page.add(Self.lastSuccess, "When a run last ended in step.", success)
    }
    page.add(
      "last_run_changed_games", "Games that it installed or updated.",
      report?.outcomes.count { $0.result.isChange } ?? 0)
    page.add("last_run_failed_games", "Games that failed in it.", report?.failures.count ?? 0)
    page.add("last_run_fetched_bytes", "Bytes of packages that it fetched.", report?.bytesFetched ?? 0)
    if let status { page.add(status) }
    text = page.text
  }

  private static let lastSuccess = "last_success_timestamp_seconds"

  /// Milliseconds as seconds.
  private static func seconds(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// As a label's value has it.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n", "\r\n": escaped += "\\n"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

/// The lines of the file.
private struct Page {
  private static let prefix = "mirror_sync_"
  private let label: String
  private(set) var text = ""

  init(label: String) { self.label = label }

  mutating func add(
    _ name: String, _ help: String, _ value: some CustomStringConvertible, _ more: String? = nil
  ) {
    begin(name, help)
    line(name, value, more)
  }

  mutating func add(_ status: MirrorStatus) {
    begin("games", "Games by how they stand against what the server offered last.")
    for state in MirrorStatus.GameStatus.State.allCases {
      line("games", status.games.count { $0.state == state }, #"state="\#(state.rawValue)""#)
    }
    let installed = status.games.compactMap(\.installed)
    add(
      "installed_bytes", "Unpacked bytes of the versions in use.",
      installed.reduce(0) { $0 + $1.unpackedSize })
    add("partial_bytes", "Bytes of downloads that are not whole.", status.partials.reduce(0) { $0 + $1.size })
    if let point = status.point {
      add("catalogue_revision", "State of the catalogue seen last.", point.revision)
    }
  }

  /// What an earlier file says; nil when it says nothing, or of another mirror.
  func value(of name: String, in text: String?) -> String? {
    let start = "\(Self.prefix)\(name){\(label)} "
    let line = text?.split(separator: "\n").first { $0.hasPrefix(start) }
    guard let value = line?.dropFirst(start.count), Double(value) != nil else { return nil }
    return String(value)
  }

  private mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(Self.prefix)\(name) \(help)\n# TYPE \(Self.prefix)\(name) gauge\n"
  }

  private mutating func line(_ name: String, _ value: some CustomStringConvertible, _ more: String?) {
    text += "\(Self.prefix)\(name){\([label, more].compactMap(\.self).joined(separator: ","))} \(value)\n"
  }
}
