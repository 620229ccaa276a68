/// Metrics in Prometheus' text format, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct MetricsPage {
  /// RFC 9110 §8.3, with the version that the format asks for.
  static let type = "text/plain; version=0.0.4; charset=utf-8"

  /// What a number means.
  enum Kind: String { case counter, gauge, histogram }

  private(set) var text = ""

  /// A metric and its one value.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible) {
    begin(name, kind, help)
    line(name, "", value)
  }

  /// A metric of several values; `line` adds them.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// A value. `labels` as the format writes them: `a="b",c="d"`; they are of this program's making, and need no escapes.
  mutating func line(_ name: String, _ labels: String, _ value: some CustomStringConvertible) {
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  /// Microseconds as seconds.
  static func seconds(_ microseconds: UInt64) -> String {
    let rest = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
  }
}
