import MirrorClient

/// A command that cannot go on: one line for stderr and an exit code of sysexits(3).
struct Failure: Error {
  static let usage: Int32 = 64
  static let noInput: Int32 = 66
  static let cannotCreate: Int32 = 73
  static let unavailable: Int32 = 69

  let code: Int32
  let message: String

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: MirrorError) { self.init(error.exitCode, error.description) }
}
