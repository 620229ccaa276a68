internal import Platform

/// How much room a plan takes when it takes most, file system by file system.
///
/// Games are brought in step in order, some at a time, and what a game replaces goes when the game is done: by the time one
/// is begun, all but the last few before it have given back what they could.
struct RoomForecast: Sendable {
  let devices: DiskDevices
  let games: [PlannedGame]
  /// Games under way at the same time.
  let width: Int

  /// The most that is taken on each device, and what is free there. `gone` has been removed already or will be before
  /// the first game is begun; `credit` is what of it is not free yet.
  func forecast(
    without gone: Set<InstalledVersion> = [], credit: [RoomNeed]? = nil
  ) throws(MirrorError) -> [SyncPlan.Device] {
    var taken = [RoomNeed](repeating: .none, count: devices.devices.count)
    var most = taken
    for (index, game) in games.enumerated() {
      if index >= width {
        for version in games[index - width].replaced where !gone.contains(version) {
          taken = zip(taken, devices.freed(by: version)).map { $0 - $1 }
        }
      }
      taken = zip(taken, devices.split(game.need)).map { $0 + $1 }
      most = zip(most, taken).map { $0.most($1) }
    }
    var forecast: [SyncPlan.Device] = []
    for (index, device) in devices.devices.enumerated() {
      let room = try onDisk { () throws(SystemError) in try device.folder.room }
      let free = RoomNeed(bytes: Int64(clamping: room.bytes), files: 0) + (credit?[index] ?? .none)
      forecast.append(
        SyncPlan.Device(
          folders: device.names, path: device.folder.path, needed: most[index].bytes, available: free.bytes,
          inodesNeeded: most[index].inodes,
          // btrfs and some network file systems count no inodes and say 0.
          inodesAvailable: room.allInodes == 0 ? nil : Int64(clamping: room.inodes)))
    }
    return forecast
  }
}
