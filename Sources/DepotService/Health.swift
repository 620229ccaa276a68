internal import Catalogue
internal import DepotModel
internal import Platform

/// What a supervisor asks: is the process alive, and can it do its work.
enum Health {
  private struct Status: Encodable {
    let status: String
  }

  static func alive() throws(Problem) -> Answer {
    try Answer(json: Status(status: "ok"), cacheControl: "no-cache", varies: false)
  }

  /// Throws `unavailable` naming what is wrong.
  static func ready(_ depot: Depot) throws(Problem) -> Answer {
    do throws(CatalogueError) {
      _ = try depot.catalogue.revision()
    } catch {
      throw Problem(.unavailable, "The catalogue cannot be read.").caused(by: error)
    }
    let room: Int64
    do throws(SystemError) {
      room = try depot.roomAboveFloor()
    } catch {
      throw Problem(.unavailable, "The disk does not tell its room.").caused(by: error)
    }
    guard room >= 0 else {
      throw Problem(
        .unavailable, "The disk is \(-room) bytes below its floor: packages are served but none is accepted.")
    }
    return try Answer(json: Status(status: "ok"), cacheControl: "no-cache", varies: false)
  }
}
