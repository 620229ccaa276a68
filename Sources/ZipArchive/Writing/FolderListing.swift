internal import Platform

/// What lies beneath a folder, as an archive would hold it: sorted by path, junk left out, and everything told that no archive
/// should hold.
struct FolderListing {
  /// One file, folder or symlink.
  struct Item {
    /// In the archive: NFC, relative to the folder.
    let path: String
    /// On the disk: relative to the folder.
    let source: String
    let kind: Record.Kind
    let size: Int64
    /// A folder with nothing in it.
    var isEmpty = false
  }

  /// A place that is not to be packed: the archive itself, when it is written into the folder it is made of.
  struct Place {
    /// The folder it is in.
    let folder: FileStatus
    let name: String

    init(_ name: String, in folder: Directory) throws(SystemError) {
      self.folder = try folder.status
      self.name = name
    }
  }

  /// Sorted by the bytes of their paths, so that a folder comes before what is in it.
  private(set) var items: [Item] = []
  /// Junk, links, devices and names that cannot be read; names are not judged otherwise.
  private(set) var findings = FindingList()
  /// What was left out, in the order it was found: a folder stands for all that is in it.
  private(set) var leftOut: [IgnoredEntry] = []

  private let root: Directory
  private let symlinks: ZipWriterOptions.Symlinks
  private let output: Place?

  /// Walks the whole folder. Throws `cannotRead`.
  init(
    of root: Directory, symlinks: ZipWriterOptions.Symlinks = .refused, leavingOut output: Place? = nil
  ) throws(ZipWriteError) {
    self.root = root
    self.symlinks = symlinks
    self.output = output
    // Folders by their number in `items`; nil is the root. Opened one at a time: a deep tree needs no more descriptors.
    var waiting: [Int?] = [nil]
    while let folder = waiting.popLast() { waiting += try walk(folder) }
    items.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Takes in what is right in a folder; the numbers of the folders in it.
  private mutating func walk(_ number: Int?) throws(ZipWriteError) -> [Int] {
    let folder = number.map { items[$0] }
    let source = folder.map { $0.source }
    let (directory, isOutputFolder, names) = try onSource { () throws(SystemError) in
      let directory = try source.map { (path) throws(SystemError) in try root.directory(path) } ?? root
      return (directory, try holdsOutput(directory), try directory.rawNames())
    }
    var subfolders: [Int] = []
    var isEmpty = true
    for bytes in names {
      guard let name = String(validating: bytes, as: UTF8.self) else {
        let shown = EntryName.shown(bytes)
        findings.add(
          .nameEncoding, path: folder.map { "\($0.path)/\(shown)" } ?? shown,
          "the name on the disk is not UTF-8")
        continue
      }
      if isOutputFolder
        && (name.utf8.elementsEqual(output?.name.utf8 ?? "".utf8) || PendingFile.isPendingName(name))
      {
        continue
      }
      let status = try onSource { () throws(SystemError) in try directory.status(of: name) }
      // It went away between the two calls.
      guard let status else { continue }
      let path = (folder.map { "\($0.path)/\(name)" } ?? name).composed
      let item = Item(
        path: path, source: folder.map { "\($0.source)/\(name)" } ?? name, kind: Record.Kind(status.kind),
        size: status.kind == .regular ? status.size : 0)
      guard take(item) else { continue }
      isEmpty = false
      // A path that no package may have ends here: nor may what is below it.
      if item.kind == .folder && path.utf8.count <= EntryName.longestPath {
        subfolders.append(items.count - 1)
      }
    }
    if let number { items[number].isEmpty = isEmpty }
    return subfolders
  }

  /// False for what is left out.
  private mutating func take(_ item: Item) -> Bool {
    if Junk.holds(item.path, isFolder: item.kind == .folder) {
      let shown = item.path.printable + (item.kind == .folder ? "/" : "")
      findings.add(.junk, path: shown, "it is left out")
      leftOut.append(IgnoredEntry(path: shown, reason: Rule.junk.rawValue))
      return false
    }
    switch item.kind {
    case .symlink where symlinks == .refused:
      findings.add(.symlink, path: item.path, "it is a symlink; a package holds files and folders only")
    case .special:
      findings.add(.specialFile, path: item.path, "it is a device, a named pipe or a socket")
    case .file, .folder, .symlink: break
    }
    items.append(item)
    return true
  }

  private func holdsOutput(_ directory: Directory) throws(SystemError) -> Bool {
    guard let output else { return false }
    let status = try directory.status
    return status.inode == output.folder.inode && status.device == output.folder.device
  }
}

extension Record.Kind {
  init(_ kind: FileStatus.Kind) {
    switch kind {
    case .regular: self = .file
    case .directory: self = .folder
    case .symlink: self = .symlink
    case .other: self = .special
    }
  }
}
