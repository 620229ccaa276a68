internal import Platform

/// The file systems a mirror lies on: one, unless something is mounted at `games`, `packages` or `partial`. Room is counted
/// for each.
struct DiskDevices: Sendable {
  /// One of them.
  struct Device: Sendable {
    let number: UInt64
    /// A folder on it, to ask for room.
    let folder: Directory
    /// Which of the mirror's folders lie on it.
    var names: [String]
  }

  private(set) var devices: [Device] = []
  private let games: Int
  private let packages: Int
  private let partials: Int

  /// `root` is nil for a mirror that is not made yet; it will lie where the nearest folder above `destination` does.
  init(root: Directory?, destination: String) throws(SystemError) {
    let place: Directory
    if let root { place = root } else { place = try Self.nearest(to: destination) }
    self.init(try Self.found(in: place))
  }

  private init(_ places: [(name: String, folder: Directory, number: UInt64)]) {
    var indices: [Int] = []
    for place in places {
      if let known = devices.firstIndex(where: { $0.number == place.number }) {
        devices[known].names.append(place.name)
        indices.append(known)
      } else {
        indices.append(devices.count)
        devices.append(Device(number: place.number, folder: place.folder, names: [place.name]))
      }
    }
    (games, packages, partials) = (indices[0], indices[1], indices[2])
  }

  private static func found(
    in root: Directory
  ) throws(SystemError) -> [(name: String, folder: Directory, number: UInt64)] {
    var places: [(name: String, folder: Directory, number: UInt64)] = []
    let rootNumber = try root.device
    for name in ["games", "packages", "partial"] {
      let folder = try root.status(of: name)?.kind == .directory ? root.directory(name) : root
      let number = try folder.device
      // The mirror's own folder says more to people than one of those in it.
      places.append((name, number == rootNumber ? root : folder, number))
    }
    return places
  }

  /// What each device is to hold of `need`, in their order.
  func split(_ need: DiskNeed) -> [RoomNeed] {
    var parts = [RoomNeed](repeating: .none, count: devices.count)
    parts[games] = parts[games] + need.unpacked
    // rename(2) moves a partial to its place on the same device; to another it has to be copied.
    parts[partials] = parts[partials] + need.fetched
    if packages != partials { parts[packages] = parts[packages] + need.package }
    return parts
  }

  /// What each device gets back when a version goes, in their order.
  func freed(by version: InstalledVersion) -> [RoomNeed] {
    var parts = [RoomNeed](repeating: .none, count: devices.count)
    parts[games] = RoomNeed(
      bytes: version.isUnpacked ? version.unpackedSize - version.sharedBytes : 0, files: 0)
    parts[packages] = parts[packages] + RoomNeed(bytes: version.hasPackage ? version.size : 0, files: 0)
    return parts
  }

  /// What each device gets back when so many bytes of partial downloads go, in their order.
  func freed(partials bytes: Int64) -> [RoomNeed] {
    var parts = [RoomNeed](repeating: .none, count: devices.count)
    parts[partials] = RoomNeed(bytes: bytes, files: 0)
    return parts
  }

  /// An absolute path ends at `/`, a relative one at the working directory: both are there.
  private static func nearest(to path: String) throws(SystemError) -> Directory {
    var path = path[...]
    while true {
      while path.count > 1, path.last == "/" { path.removeLast() }
      do throws(SystemError) {
        return try Directory(path: path.isEmpty ? "." : String(path))
      } catch {
        guard error.isNotFound, !path.isEmpty, path != "/" else { throw error }
      }
      let slash = path.lastIndex(of: "/")
      path = slash.map { path[...$0] } ?? ""
    }
  }
}

/// What bringing a game in step takes on the disk, by where it goes.
struct DiskNeed: Sendable, Hashable {
  /// Its files, below `games`.
  var unpacked: RoomNeed
  /// What is still to come into `partial`.
  var fetched: RoomNeed
  /// The whole package, below `packages`.
  var package: RoomNeed

  static let none = DiskNeed(unpacked: .none, fetched: .none, package: .none)
}
