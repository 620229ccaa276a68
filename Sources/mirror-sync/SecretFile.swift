import Platform

/// A file that holds a secret, read whole. What stands in it is never shown.
enum SecretFile {
  /// At most `limit` bytes. Throws for one that others than its owner and group may read or write, unless that is
  /// allowed: as rsync(1) does, a run from cron being too quiet for a warning.
  static func bytes(_ path: String, of secret: String, limit: Int, allowsEverybody: Bool) throws -> [UInt8] {
    let bytes: [UInt8]
    let permissions: UInt32
    do throws(SystemError) {
      let file = try File(path: path, mode: .read)
      permissions = try file.status.permissions
      bytes = try file.bytes(at: 0, count: limit)
    } catch {
      throw Failure(Failure.noInput, "cannot read the \(secret): \(error)")
    }
    guard allowsEverybody || permissions & 0o006 == 0 else {
      throw Failure(
        Failure.noInput,
        "everybody on this machine may use the \(secret) in \(path); take that away with: chmod o= \(path)")
    }
    return bytes
  }
}
