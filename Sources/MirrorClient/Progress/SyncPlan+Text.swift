internal import DepotModel

extension SyncPlan {
  /// A line for each game that would change or fail, then what it comes to and where there is room for it.
  public var text: String {
    var lines = games.filter { $0.action != .unchanged }.map(\.text)
    let counts = [Action.install, .update, .activate, .remove, .fail].compactMap { action -> String? in
      let count = games.count { $0.action == action }
      return count == 0 ? nil : "\(count) to \(action.rawValue)"
    }
    let unchanged = untouched + games.count { $0.action == .unchanged }
    lines.append(
      "in all: \((counts + ["\(unchanged) unchanged"]).joined(separator: ", ")); \(ByteText.short(bytesToFetch)) to fetch, \(ByteText.short(bytesToWrite)) in \(filesToWrite) files to write"
    )
    if bytesToReclaim > 0 {
      lines.append(
        "to make room, \(ByteText.short(bytesToReclaim)) of old versions and partial downloads go first")
    }
    lines += devices.map { "room: \($0.text)" }
    if let heldDeletion { lines.append(heldDeletion.description) }
    if !isEnough { lines.append("not enough room: nothing would be fetched") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension SyncPlan.Game {
  fileprivate var text: String {
    let versions: String
    switch (installed, version) {
    case (let old?, let new?): versions = old == new ? " \(new)" : " \(old) -> \(new)"
    case (let one?, nil), (nil, let one?): versions = " \(one)"
    case (nil, nil): versions = ""
    }
    let head = "\(action.rawValue) \(game.printable(limit: 128))\(versions)"
    if let error { return "\(head): \(error)" }
    guard action == .install || action == .update else { return head }
    return
      "\(head): \(ByteText.short(bytesToFetch)) to fetch, \(ByteText.short(bytesToWrite)) in \(filesToWrite) files to write"
  }
}

extension SyncPlan.Device {
  /// `/srv/games (games, packages, partial): needs 20 bytes, 10 are free`: with inodes where they are what is short.
  var text: String {
    let inodes = inodesAvailable.map { "; \(inodesNeeded) inodes, \($0) are free" } ?? ""
    return
      "\(path) (\(folders.joined(separator: ", "))): needs \(needed) bytes, \(available) are free\(inodes)"
  }
}
