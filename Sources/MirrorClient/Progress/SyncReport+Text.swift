internal import DepotModel

extension SyncReport {
  /// `in step with revision 12: 3 changed, 197 unchanged, 12.3 MiB fetched`: one line for people.
  public var summary: String {
    let changed = outcomes.count { $0.result.isChange }
    let unchanged = outcomes.count - changed - failures.count
    var parts = ["\(changed) changed"]
    if unchanged > 0 { parts.append("\(unchanged) unchanged") }
    if !failures.isEmpty { parts.append("\(failures.count) failed") }
    parts.append("\(ByteText.short(bytesFetched)) fetched")
    if !left.isEmpty { parts.append("\(left.count) left for the next run") }
    if !removedOnServer.isEmpty { parts.append("\(removedOnServer.count) no longer on the server") }
    let head = failures.isEmpty && left.isEmpty ? "in step" : "not in step"
    return "\(head)\(revision.map { " with revision \($0)" } ?? ""): \(parts.joined(separator: ", "))"
  }
}
