internal import DepotModel
internal import HTTPClient
internal import Platform

/// Where the whole file of one download goes, and how it gets there.
struct FilePlacement: Sendable {
  /// EXDEV of rename(2): the two names are on different file systems.
  private static let otherDevice: Int32 = 18

  let download: Download
  /// The manager's, where the partial is.
  let folder: Directory
  let volume: any Volume
  /// The file that an earlier download of this put there.
  let ours: StandingFile?

  /// Throws unless the file may be put where it goes, which the server's suggestion may decide.
  func check(_ suggestedName: String?) throws(DownloadError) {
    let place = try place(suggestedName)
    guard download.destination.existing == .keep, place.path != ours?.path else { return }
    if try place.status() != nil { throw .destinationExists(path: place.path) }
  }

  /// The file of a known name that stands there already and is the one that is asked for; throws when it is another one
  /// and must stay.
  func adopted(isCancelled: () -> Bool) throws(DownloadError) -> StandingFile? {
    guard case .file = download.destination, download.destination.existing == .keep else { return nil }
    let place = try place(nil)
    guard place.path != ours?.path, let status = try place.status() else { return nil }
    guard let expected = download.sha256, status.kind == .regular,
      try place.sha256(isCancelled: isCancelled) == expected
    else { throw .destinationExists(path: place.path) }
    return StandingFile(
      path: place.path, size: status.size, sha256: expected, validators: .none, isOurs: false)
  }

  /// Moves the partial, which is on the disk, to its place, durably; what stood there is replaced in the same step. The path.
  func put(_ suggestedName: String?) throws(DownloadError) -> String {
    try check(suggestedName)
    let place = try place(suggestedName)
    do throws(SystemError) {
      let target = try Directory(creating: place.parent)
      do throws(SystemError) {
        try volume.rename(download.partialName, in: folder, to: place.name, in: target)
      } catch {
        guard error.errno == Self.otherDevice else { throw error }
        try copy(to: place.name, in: target)
      }
      try volume.synchronize(target)
      try volume.synchronize(folder)
    } catch {
      throw .disk(error)
    }
    return place.path
  }

  /// Where it goes. Throws `badDestination` for what names no file, or one of the manager's own.
  func place(_ suggestedName: String?) throws(DownloadError) -> FilePlace {
    switch download.destination {
    case .managed: return FilePlace(parent: folder.path, name: download.fileName)
    case .file(let path, _):
      guard let place = FilePlace(path) else { throw .badDestination(path) }
      return place
    case .folder(let path, _):
      let name = suggestedName ?? download.url.nameInURL
      let place = FilePlace(parent: path.isEmpty ? "." : path, name: name)
      // A server must not choose the name of a receipt file or of another download's bytes.
      let isOwn = name.hasSuffix(".part") || name.hasPrefix(ReceiptFile.stem)
      if isOwn, try isManagers(place.parent) { throw .badDestination(place.path) }
      return place
    }
  }

  private func isManagers(_ path: String) throws(DownloadError) -> Bool {
    do throws(SystemError) {
      let (theirs, own) = (try Directory(creating: path).status, try folder.status)
      return theirs.inode == own.inode && theirs.device == own.device
    } catch {
      throw .disk(error)
    }
  }

  private func copy(to name: String, in target: Directory) throws(SystemError) {
    let source = try folder.file(download.partialName, mode: .read)
    let pending = try PendingFile(replacing: name, in: target)
    var offset: Int64 = 0
    while true {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      if bytes.isEmpty { break }
      try volume.write(bytes, to: pending.file, at: offset)
      offset += Int64(bytes.count)
    }
    try pending.commit(through: volume)
    try folder.removeFile(download.partialName)
  }
}

/// The path of a file, taken apart.
struct FilePlace: Sendable, Hashable {
  /// Of the folder it is in.
  let parent: String
  /// In that folder.
  let name: String

  init(parent: String, name: String) {
    self.parent = parent
    self.name = name
  }

  /// Nil when the path names a folder or nothing.
  init?(_ path: String) {
    let bytes = Array(path.utf8)
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let leaf = String(decoding: bytes[(slash.map { $0 + 1 } ?? 0)...], as: UTF8.self)
    guard !leaf.isEmpty, leaf != ".", leaf != "..", !bytes.contains(0) else { return nil }
    name = leaf
    let folder = slash.map { String(decoding: bytes[..<$0], as: UTF8.self) }
    parent = folder.map { $0.isEmpty ? "/" : $0 } ?? "."
  }

  var path: String {
    parent == "." ? name : parent.hasSuffix("/") ? parent + name : "\(parent)/\(name)"
  }

  /// What stands there, a symlink not followed; nil when nothing does.
  func status() throws(DownloadError) -> FileStatus? {
    do throws(SystemError) {
      return try Directory(path: parent).status(of: name)
    } catch {
      if error.isNotFound || error.errno == FilePlace.notAFolder { return nil }
      throw .disk(error)
    }
  }

  /// Of the regular file that stands there.
  func sha256(isCancelled: () -> Bool) throws(DownloadError) -> SHA256Digest? {
    do throws(MirrorError) {
      let file = try onDisk { () throws(SystemError) in
        try Directory(path: parent).file(name, mode: .read)
      }
      return try MirrorDisk.sha256(of: file, isCancelled: isCancelled)
    } catch {
      if case .system(let error) = error { throw .disk(error) }
      throw .cancelled
    }
  }

  /// Removes the file; nothing happens when none is there.
  func remove() throws(DownloadError) {
    guard try status() != nil else { return }
    do throws(SystemError) { try Directory(path: parent).removeFile(name) } catch { throw .disk(error) }
  }

  /// ENOTDIR.
  private static let notAFolder: Int32 = 20
}

extension DownloadDestination {
  /// What becomes of a file that is there; nil where only the manager puts files.
  var existing: Existing? {
    switch self {
    case .managed: nil
    case .file(_, let existing), .folder(_, let existing): existing
    }
  }
}

extension String {
  /// Of a text that was a URL when the download was asked for.
  fileprivate var nameInURL: String {
    WebURL(self).map { SafeFileName.make(from: $0) } ?? SafeFileName.fallback
  }
}
