/// How many games one sync may delete.
public enum DeletionLimit: Sendable, Hashable {
  /// So many.
  case count(Int)
  /// So many of a hundred games that are installed, rounded down; but one, unless it is 0 %.
  case percent(Int)

  /// `25` or `10%`; nil for anything else, and for more than 100 %.
  public init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    let digits = isPercent ? text.dropLast() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
    else {
      return nil
    }
    guard isPercent else {
      self = .count(number)
      return
    }
    guard number <= 100 else { return nil }
    self = .percent(number)
  }

  /// As it is written.
  public var text: String {
    switch self {
    case .count(let count): "\(count)"
    case .percent(let percent): "\(percent)%"
    }
  }

  /// Games that may go where `installed` are.
  public func allowed(of installed: Int) -> Int {
    switch self {
    case .count(let count): count
    case .percent(0): 0
    // A mirror of a few games could never lose one otherwise.
    case .percent(let percent): max(1, installed / 100 * percent + installed % 100 * percent / 100)
    }
  }

  /// Says that the catalogue is to be believed whatever it says.
  var isWhatever: Bool { self == .percent(100) }
}

/// Why nothing was deleted.
public struct HeldDeletion: Sendable, Hashable, CustomStringConvertible {
  /// What speaks against it.
  public enum Reason: Sendable, Hashable {
    /// More games are gone than may be deleted.
    case tooMany(limit: DeletionLimit, allowed: Int)
    /// The catalogue is not the one the mirror was in step with, or an older state of it: what is wrong with it.
    case doubt(String)
    /// A part of the server's answer could not be read: what is missing there may be what looks gone.
    case unreadable
  }

  /// Games the server no longer has.
  public let games: Int
  /// Games that are installed.
  public let installed: Int
  /// What speaks against it.
  public let reason: Reason

  /// One line that says what to do about it.
  public var description: String {
    let gone = "nothing is deleted: \(games) of \(installed) games are no longer on the server"
    switch reason {
    case .tooMany(let limit, let allowed):
      return
        "\(gone), --max-delete \(limit.text) allows \(allowed); if that is right, run once with --max-delete \(games)"
    case .doubt(let what):
      return "\(gone), and \(what); if that is right, run once with --max-delete 100%"
    case .unreadable:
      return "\(gone), but its answer could not be read in full"
    }
  }
}
