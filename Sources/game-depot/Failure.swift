import CommandOptions
import DepotService

/// A command that cannot go on: one line for stderr and an exit code of sysexits(3).
struct Failure: Error {
  let code: Int32
  let message: String

  static let usage: Int32 = 64
  static let data: Int32 = 65
  static let noInput: Int32 = 66
  static let unavailable: Int32 = 69
  static let cannotCreate: Int32 = 73
  static let busy: Int32 = 75
  static let notPermitted: Int32 = 77

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: UsageError) { self.init(Self.usage, error.description) }
  init(_ error: DepotError) { self.init(Self.cannotCreate, error.description) }

  /// A refusal of the package is the data's fault; a full disk or a failing call is the place's.
  init(_ error: PublishError) {
    switch error {
    case .field: self.init(Self.usage, error.description)
    case .system, .catalogue, .diskFloor, .stopping: self.init(Self.cannotCreate, error.description)
    default: self.init(Self.data, error.description)
    }
  }
}
