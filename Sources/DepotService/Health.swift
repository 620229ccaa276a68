internal import Catalogue
internal import Platform
internal import ReadAPI

extension Health {
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
    return try fine()
  }
}
