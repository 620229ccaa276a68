internal import DepotModel

extension SyncPlan {
  private struct Document: Encodable {
    struct Game: Encodable {
      var gameId: String
      var action: Action
      var h5Version: H5Version?
      var installed: H5Version?
      var bytesToFetch: Int64
      var bytesToWrite: Int64
      var filesToWrite: Int
      var error: String?
    }

    struct Device: Encodable {
      var path: String
      var folders: [String]
      var needed: Int64
      var available: Int64
      var inodesNeeded: Int64
      var inodesAvailable: Int64?
      var isEnough: Bool
    }

    struct Held: Encodable {
      var games: Int
      var installed: Int
      var reason: String
    }

    var revision: Int64?
    var exitCode: Int32
    var isEnough: Bool
    var bytesToFetch: Int64
    var bytesToWrite: Int64
    var filesToWrite: Int
    var bytesToReclaim: Int64
    var untouched: Int
    var games: [Game]
    var devices: [Device]
    var heldDeletion: Held?
  }

  /// One JSON object on one line: the plan's properties by their names, a game's version as `h5Version`, the one in use
  /// as `installed`, reasons as text for people.
  public var json: String {
    let document = Document(
      revision: revision, exitCode: exitCode, isEnough: isEnough, bytesToFetch: bytesToFetch,
      bytesToWrite: bytesToWrite, filesToWrite: filesToWrite, bytesToReclaim: bytesToReclaim,
      untouched: untouched,
      games: games.map {
        Document.Game(
          gameId: $0.game, action: $0.action, h5Version: $0.version, installed: $0.installed,
          bytesToFetch: $0.bytesToFetch, bytesToWrite: $0.bytesToWrite, filesToWrite: $0.filesToWrite,
          error: $0.error?.description)
      },
      devices: devices.map {
        Document.Device(
          path: $0.path, folders: $0.folders, needed: $0.needed, available: $0.available,
          inodesNeeded: $0.inodesNeeded, inodesAvailable: $0.inodesAvailable, isEnough: $0.isEnough)
      },
      heldDeletion: heldDeletion.map {
        Document.Held(games: $0.games, installed: $0.installed, reason: $0.description)
      })
    // Strings and numbers: encoding them cannot fail.
    guard let bytes = try? JSON.encode(document) else { return "{}\n" }
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }
}
