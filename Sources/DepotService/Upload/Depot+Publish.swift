public import Catalogue
internal import DepotModel
public import Platform
public import ZipArchive

/// What became of a package.
public struct Publication: Sendable {
  /// The version as the catalogue now has it.
  public let release: Release
  /// False when these bytes already were that version: nothing changed.
  public let isNew: Bool
  /// Warnings and notices of the zip check; empty when nothing changed.
  public let findings: [Finding]
}

extension Depot {
  /// Publishes a copy of a zip file, as an upload would. `actor` stands in the audit log.
  public func publish(_ file: File, as fields: UploadFields, actor: Author?) throws(PublishError)
    -> Publication
  {
    let size: Int64
    do throws(SystemError) { size = try file.size } catch { throw .system(error) }
    guard size <= settings.maxUpload else { throw .tooLarge(limit: settings.maxUpload) }
    try checkRoom(for: size)
    let ingest = try Ingest(into: self)
    while true {
      let bytes: [UInt8]
      do throws(SystemError) { bytes = try file.bytes(at: ingest.size, count: 1 << 20) } catch {
        throw .system(error)
      }
      guard !bytes.isEmpty else { break }
      try ingest.append(bytes)
    }
    return try ingest.publish(as: fields, actor: actor)
  }
}
