public import Platform

extension ZipWriter {
  /// Adds all that lies beneath `folder`, sorted by path; of folders only the empty ones get an entry. What stands in the junk list
  /// of the rules is left out: the result tells it, in the order of the walk.
  ///
  /// `parent` is put in front of the names: the folder's own name keeps it, nil leaves it out. Everything is judged before
  /// anything is added. Throws `refused` with all that stands against it, and what `add(_:as:)` throws; after that, what was added
  /// before the failure stays.
  @discardableResult
  public func add(
    contentsOf folder: Directory, under parent: String? = nil, progress: (WriteProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { false }
  ) throws(ZipWriteError) -> [IgnoredEntry] {
    try checkReady()
    let listing = try FolderListing(of: folder, symlinks: options.symlinks)
    let prefix = parent.map { $0 + "/" } ?? ""
    var findings = listing.findings
    var planned = names
    for item in listing.items where item.kind != .folder || item.isEmpty {
      let path = (prefix + item.path).composed
      if let finding = planned.refusal(of: path, isFolder: item.kind == .folder) {
        findings.add(finding)
      } else {
        planned.add(path, isFolder: item.kind == .folder)
      }
    }
    let errors = findings.all.filter { $0.severity == .error }
    guard errors.isEmpty else { throw .refused(errors) }
    for item in listing.items where item.kind != .folder || item.isEmpty {
      try add(item, of: folder, as: prefix + item.path, progress, isCancelled)
    }
    return listing.leftOut
  }

  /// Adds one item of a listing of `folder`.
  func add(
    _ item: FolderListing.Item, of folder: Directory, as name: String, _ progress: (WriteProgress) -> Void,
    _ isCancelled: () -> Bool
  ) throws(ZipWriteError) {
    let source: PackingSource
    switch item.kind {
    case .file:
      source = try PackingSource(
        try onSource { () throws(SystemError) in try folder.file(item.source, mode: .read) })
    case .symlink:
      let target = try onSource { () throws(SystemError) in try folder.symlinkTarget(item.source) }
      guard let target else { throw .sourceChanged(path: "\(folder.path)/\(item.source)") }
      source = PackingSource(Array(target.utf8))
    case .folder, .special: source = PackingSource([])
    }
    let date = try onSource { () throws(SystemError) in
      options.dates == .kept ? try folder.status(of: item.source)?.modifiedAt : nil
    }
    try add(source, as: name, kind: item.kind, date: date, progress, isCancelled)
  }
}
