internal import Catalogue
internal import DepotModel
public import Platform

/// What was removed because nobody needs it.
public struct GarbageReport: Sendable, Hashable {
  /// Files that unfinished uploads left.
  public internal(set) var leftovers = 0
  /// Packages that no release needs, and damaged ones that were set aside and are not needed any more.
  public internal(set) var packages = 0
  /// Bytes of both.
  public internal(set) var bytes: Int64 = 0
}

extension Depot {
  /// Removes what nobody needs from the depot in a folder: leftovers of uploads, packages of games that were removed, and
  /// damaged packages that have been published again. With `isDry` only tells. Waits for publishes that run, and lets none
  /// begin until it is done.
  ///
  /// Works on a full disk and beside a server: it writes nothing, and does not open the catalogue for writing.
  public static func collectGarbage(
    in path: String, isDry: Bool, volume: any Volume = SystemVolume()
  ) throws(DepotError) -> GarbageReport {
    var report = GarbageReport()
    let layout: DepotLayout
    let lock: DepotLock
    do throws(SystemError) {
      layout = try DepotLayout(path: path, creating: false)
      lock = try DepotLock.acquire(.publish, .exclusive, in: layout.root)
      for name in try layout.ingest.names() {
        guard let status = try layout.ingest.status(of: name) else { continue }
        if !isDry { try volume.removeTree(name, in: layout.ingest) }
        report.leftovers += 1
        report.bytes += status.size
      }
    } catch { throw .system(error) }
    defer { withExtendedLifetime(lock) {} }
    let needed: Set<SHA256Digest>
    // Read only now, under the lock: a publish that ended before it is in it.
    do throws(CatalogueError) {
      needed = Set(try Catalogue.contents(ofFileAt: layout.cataloguePath).packages.map(\.sha256))
    } catch { throw .catalogue(error) }
    do throws(SystemError) {
      for name in try layout.packages.names() where name.utf8.count == 2 {
        try collect(in: layout.packages.directory(name), needed, isDry, volume, &report)
      }
    } catch { throw .system(error) }
    return report
  }

  private static func collect(
    in folder: Directory, _ needed: Set<SHA256Digest>, _ isDry: Bool, _ volume: any Volume,
    _ report: inout GarbageReport
  ) throws(SystemError) {
    var hasRemoved = false
    for name in try folder.names() {
      let isAside = name.hasSuffix(BlobStore.asideSuffix)
      let hex = isAside ? String(name.dropLast(BlobStore.asideSuffix.count)) : name
      // What has another name is nobody's here: it is left alone.
      guard let digest = SHA256Digest(hex: hex), digest.hex == hex,
        let status = try folder.status(of: name), status.kind == .regular
      else { continue }
      if needed.contains(digest) {
        guard isAside, try folder.status(of: hex) != nil else { continue }
      }
      if !isDry {
        try volume.remove(name, in: folder)
        hasRemoved = true
      }
      report.packages += 1
      report.bytes += status.size
    }
    if hasRemoved { try volume.synchronize(folder) }
  }
}
