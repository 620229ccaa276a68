internal import DepotModel
internal import HTTPWire
internal import Platform

/// Answers requests for the files of games.
struct GameFiles: Sendable {
  /// A file that a request means.
  struct Found: Sendable {
    /// As the disk spells it.
    let path: String
    let file: File
    let status: FileStatus
  }

  private enum Location: Sendable {
    case found(Found)
    case folder
    case nothing
  }

  let settings: PlaySettings
  let logger: Logger
  let texts: CompressedTexts

  /// What the disk has at a place of a version, with the headers of the game in `fields`. `isLast`: no more work is to be
  /// proposed, even if the answer is worse for it.
  func attempt(
    _ place: GamePlace, _ version: ServedVersion, _ contents: ServedVersion.Contents, _ request: HTTPRequest,
    fields: HTTPFields, isLast: Bool
  ) throws(SystemError) -> Attempt {
    let isFolder = place.names.last == ""
    let names = isFolder ? place.names.dropLast() + ["index.html"] : place.names
    switch try locate(names, version, contents, request) {
    case .found(let found):
      let encoding = FileEncoding(
        found, version, contents.index, isRaw: settings.rawEncodings.contains(place.id), texts: texts)
      return try encoding.attempt(request, fields: fields, isLast: isLast)
    case .folder where !isFolder: return .answer(.redirectToFolder(request, fields.withoutCookie))
    case .folder, .nothing:
      if place.root == "/", place.names == ["favicon.ico"] { return .answer(.noIcon) }
      guard settings.singlePage.contains(place.id), Self.isRoute(names, request),
        place.names != [""], place.names != ["index.html"]
      else { return .answer(.plain(.notFound, "There is no such file.", fields.withoutCookie)) }
      let page = GamePlace(id: place.id, root: place.root, names: [""])
      return try attempt(page, version, contents, request, fields: fields, isLast: isLast)
    }
  }

  /// Exactly these bytes first; then what a disk of Windows or macOS would have taken for them.
  private func locate(
    _ names: [String], _ version: ServedVersion, _ contents: ServedVersion.Contents, _ request: HTTPRequest
  ) throws(SystemError) -> Location {
    guard names.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }) else { return .nothing }
    let path = names.joined(separator: "/")
    if let location = try open(path, version) { return location }
    switch contents.index?.match(path) {
    case .sameText(let other): return try open(other, version) ?? .nothing
    case .otherCase(let other):
      guard let location = try open(other, version) else { return .nothing }
      if version.isFirstWarning(of: path) {
        logger.warning(
          "a game asks for a file by another case", requestID: request.id,
          ["game": version.id.text, "version": version.version.text, "asked": path, "found": other])
      }
      return location
    case nil: return .nothing
    }
  }

  /// Nil when there is nothing of that name.
  private func open(_ path: String, _ version: ServedVersion) throws(SystemError) -> Location? {
    switch try version.folder.opened(path) {
    case .file(let file, let status): .found(Found(path: path, file: file, status: status))
    case .directory: .folder
    case .other: .nothing
    case nil: nil
    }
  }

  /// Whether a path can be one of a page's own: what a browser navigates to, and else what has no ending of a file.
  private static func isRoute(_ names: [String], _ request: HTTPRequest) -> Bool {
    if let mode = request.field(named: "sec-fetch-mode") { return mode == "navigate" }
    let last = names.last ?? ""
    return last == "index.html" || !last.utf8.contains(UInt8(ascii: "."))
  }
}

extension HTTPFields {
  /// No page began with what is no file.
  fileprivate var withoutCookie: HTTPFields {
    var fields = self
    fields["Set-Cookie"] = nil
    return fields
  }
}
