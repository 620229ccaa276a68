internal import Platform

/// What a package will take on the disk.
struct RoomNeed: Sendable, Hashable {
  /// A file takes whole blocks; this is the block of nearly every file system.
  static let blockSize: Int64 = 4096

  var bytes: Int64
  var inodes: Int64

  static let none = RoomNeed(bytes: 0, files: 0)

  /// `bytes` in `files` files: each wastes half a block on average, and takes an inode.
  init(bytes: Int64, files: Int) {
    let waste = Int64(clamping: files).multipliedReportingOverflow(by: Self.blockSize / 2)
    let sum = bytes.addingReportingOverflow(waste.overflow ? .max : waste.partialValue)
    self.bytes = sum.overflow ? .max : sum.partialValue
    inodes = Int64(clamping: files)
  }

  static func + (left: RoomNeed, right: RoomNeed) -> RoomNeed {
    var sum = left
    let bytes = left.bytes.addingReportingOverflow(right.bytes)
    sum.bytes = bytes.overflow ? .max : bytes.partialValue
    sum.inodes = left.inodes &+ right.inodes
    return sum
  }

  /// Below nothing is possible here: more may go than came.
  static func - (left: RoomNeed, right: RoomNeed) -> RoomNeed {
    var difference = left
    difference.bytes = left.bytes.subtractingReportingOverflow(right.bytes).partialValue
    difference.inodes = left.inodes &- right.inodes
    return difference
  }

  /// The larger of each.
  func most(_ other: RoomNeed) -> RoomNeed {
    var most = self
    most.bytes = max(bytes, other.bytes)
    most.inodes = max(inodes, other.inodes)
    return most
  }

  /// Throws `noRoom` or `noInodes` unless this fits beside what is `reserved` already.
  func check(in folder: Directory, reserved: RoomNeed) throws(MirrorError) {
    let room = try onDisk { () throws(SystemError) in try folder.room }
    let free = max(0, Int64(clamping: room.bytes) - reserved.bytes)
    guard bytes <= free else { throw .noRoom(needed: bytes, available: free, path: folder.path) }
    // btrfs and some network file systems count no inodes and say 0.
    guard room.inodes > 0 else { return }
    let freeInodes = max(0, Int64(clamping: room.inodes) - reserved.inodes)
    guard inodes <= freeInodes else {
      throw .noInodes(needed: inodes, available: freeInodes, path: folder.path)
    }
  }
}
