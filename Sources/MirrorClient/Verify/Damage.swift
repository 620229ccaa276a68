public import DepotModel

/// Something of a mirror that is not as it was installed.
public struct Damage: Sendable, Hashable, CustomStringConvertible {
  /// What it is that is damaged, and so how it is mended.
  enum Place: Sendable, Hashable {
    /// A file of the version, by its path in it.
    case file(String)
    /// An empty folder of the version, by its path in it.
    case folder(String)
    /// Something the package does not have, by its path in the version; nil for a name that is no text.
    case extra(String?)
    case package
    /// `current` names something else.
    case current
  }

  /// The game.
  public let id: GameID
  /// Which version of it.
  public let version: H5Version
  /// Below the mirror's folder.
  public let path: String
  /// What should be there.
  public let expected: String
  /// What is there.
  public let actual: String
  let place: Place

  var concernsCurrent: Bool { place == .current }
  var isPackage: Bool { place == .package }

  /// One line.
  public var description: String { "\(path): expected \(expected), found \(actual)" }
}
