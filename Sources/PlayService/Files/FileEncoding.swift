internal import DepotModel
internal import HTTPWire
internal import Platform

/// Chooses the form in which a file is sent: as it is, under the coding it was built with, from a compressed file beside
/// it, or compressed here.
struct FileEncoding: Sendable {
  private let found: GameFiles.Found
  private let version: ServedVersion
  private let index: FileIndex?
  private let isRaw: Bool
  private let texts: CompressedTexts
  private let type: String

  init(
    _ found: GameFiles.Found, _ version: ServedVersion, _ index: FileIndex?, isRaw: Bool,
    texts: CompressedTexts
  ) {
    self.found = found
    self.version = version
    self.index = index
    self.isRaw = isRaw
    self.texts = texts
    type = ContentType.of(path: found.path)
  }

  /// With the headers of every answer in `fields`.
  func attempt(
    _ request: HTTPRequest, fields: HTTPFields, isLast: Bool
  ) throws(SystemError) -> Attempt {
    if let name = CodedName(path: found.path) {
      guard !isRaw else { return answer(found, ContentType.unknown, request, fields) }
      return try attempt(name, request, fields, isLast)
    }
    return try attemptText(request, fields, isLast)
  }

  // MARK: Files that are coded themselves

  private func attempt(
    _ name: CodedName, _ request: HTTPRequest, _ fields: HTTPFields, _ isLast: Bool
  ) throws(SystemError) -> Attempt {
    guard let finding = version.finding(found.path, found.status) else {
      guard !isLast else { return answer(found, ContentType.unknown, request, fields) }
      let (found, version) = (found, version)
      return .work {
        // What cannot be read is told when it is sent.
        let prefix = (try? found.file.bytes(at: 0, count: CodedBytes.prefixCount)) ?? []
        version.note(CodedBytes.coding(of: prefix, promised: name.promise), found.path, found.status)
      }
    }
    // It is what comes out of it already, whatever it is called.
    guard let coding = finding.coding else { return answer(found, name.type, request, fields) }
    let fields = fields.varying
    // A client that does not take the coding, a tool or a browser without brotli, gets the file as one of bytes: the
    // loaders of engines that bring a decoder of their own ask for it so.
    guard AcceptEncoding.accepts(coding, request) else {
      return answer(found, ContentType.unknown, request, fields)
    }
    return answer(found, name.type, in: coding, request, fields)
  }

  // MARK: Files that can be sent smaller

  private func attemptText(
    _ request: HTTPRequest, _ fields: HTTPFields, _ isLast: Bool
  ) throws(SystemError) -> Attempt {
    let isCompressible =
      ContentType.isText(type) && found.status.size > AcceptEncoding.threshold
      && found.status.size <= CompressedTexts.largest
    let neighbours = findNeighbours()
    guard isCompressible || !neighbours.isEmpty else { return answer(found, type, request, fields) }
    let fields = fields.varying
    // Parts are of the file as it is: of another form nobody can know where they begin.
    guard request.method != .get || !request.has(.range) else { return answer(found, type, request, fields) }
    var codings = neighbours.map(\.coding)
    if isCompressible, !codings.contains(.gzip) { codings.append(.gzip) }
    while let coding = AcceptEncoding.preferred(of: codings, for: request) {
      if let neighbour = neighbours.first(where: { $0.coding == coding }) {
        switch try attempt(neighbour, request, fields, isLast) {
        case let attempt?: return attempt
        case nil where coding == .gzip && isCompressible: break
        case nil:
          codings.removeAll { $0 == coding }
          continue
        }
      }
      return attemptCompressed(request, fields, isLast)
    }
    return answer(found, type, request, fields)
  }

  private struct Neighbour: Sendable {
    let path: String
    let coding: ContentCoding
  }

  /// Best first. One that is not smaller than the file is none.
  private func findNeighbours() -> [Neighbour] {
    guard let index else { return [] }
    let endings: [(String, ContentCoding)] = [(".br", .brotli), (".gz", .gzip)]
    return endings.compactMap { ending, coding in
      guard let size = index.file(at: found.path + ending)?.size, size > 0, size < found.status.size else {
        return nil
      }
      return Neighbour(path: found.path + ending, coding: coding)
    }
  }

  /// Nil for a neighbour that does not hold what the file does.
  private func attempt(
    _ neighbour: Neighbour, _ request: HTTPRequest, _ fields: HTTPFields, _ isLast: Bool
  ) throws(SystemError) -> Attempt? {
    guard case .file(let file, let status) = try version.folder.opened(neighbour.path),
      status.size > 0, status.size < found.status.size
    else { return nil }
    // No path begins with a slash: the same file asked for by its own name is judged otherwise.
    let key = "/\(neighbour.path)"
    let other = GameFiles.Found(path: neighbour.path, file: file, status: status)
    guard let finding = version.finding(key, status) else {
      guard !isLast else { return nil }
      let (size, version) = (found.status.size, version)
      return .work {
        let isTrue =
          neighbour.coding == .brotli
          || (try? CodedBytes.isGzip(file, size: status.size, of: size)) == true
        version.note(isTrue ? neighbour.coding : nil, key, status)
      }
    }
    guard let coding = finding.coding else { return nil }
    return answer(other, type, in: coding, request, fields)
  }

  private func attemptCompressed(_ request: HTTPRequest, _ fields: HTTPFields, _ isLast: Bool) -> Attempt {
    func representation(_ bytes: [UInt8]) -> Representation {
      Representation(
        .bytes(bytes), type: type, coding: .gzip, etag: tag(of: found, in: .gzip),
        lastModified: found.status.modifiedAt, fields: fields)
    }
    switch texts.outcome(version, found.path, found.status) {
    case .bytes(let bytes): return .answer(representation(bytes).response(to: request))
    case .unworthy: return answer(found, type, request, fields)
    case nil:
      // Only who has got it compressed knows its tag.
      if request.has(.ifNoneMatch), let known = representation([]).answerWithoutContent(to: request),
        known.status == .notModified
      {
        return .answer(known)
      }
      guard !isLast else { return answer(found, type, request, fields) }
      let (found, version, texts) = (found, version, texts)
      return .work { await texts.compress(found.file, version, found.path, found.status) }
    }
  }

  // MARK: Answers

  private func answer(
    _ found: GameFiles.Found, _ type: String, in coding: ContentCoding? = nil, _ request: HTTPRequest,
    _ fields: HTTPFields
  ) -> Attempt {
    let representation = Representation(
      .file(SentFile(found.file), offset: 0, count: found.status.size), type: type, coding: coding,
      etag: tag(of: found, in: coding), lastModified: found.status.modifiedAt, fields: fields)
    return .answer(representation.response(to: request))
  }

  /// The digest of the bytes as they were installed; of a file that is not as it was then, or that nobody wrote down, what
  /// names its bytes on this disk. Two versions can be installed within one second, and both have this URL.
  private func tag(of found: GameFiles.Found, in coding: ContentCoding?) -> EntityTag? {
    let suffix = coding.map { "-\($0.name)" } ?? ""
    let status = found.status
    if let entry = index?.file(at: found.path), let sha256 = entry.sha256, entry.size == status.size,
      entry.modifiedAtNanoseconds == status.modifiedAtNanoseconds
    {
      return EntityTag("\(sha256.hex)\(suffix)")
    }
    let place = [
      status.inode, UInt64(bitPattern: status.size), UInt64(bitPattern: status.modifiedAtNanoseconds),
    ]
    return EntityTag(
      "\(version.version)-\(place.map { String($0, radix: 36) }.joined(separator: "-"))\(suffix)")
  }
}

/// A file of a game, open as long as it is sent.
final class SentFile: BodyFile {
  private let file: File

  init(_ file: File) { self.file = file }

  var number: Int32 { file.number }
}

extension HTTPFields {
  /// The same, and that other clients may get another form.
  fileprivate var varying: HTTPFields {
    var fields = self
    fields.append("Vary", AcceptEncoding.vary)
    return fields
  }
}
