internal import HTTPClient
public import Platform
internal import ZipArchive

extension Downloader {
  /// What `fetch` would bring over the network now. A partial is taken for good by its size. Throws `disk`, `cancelled`.
  public func cost(of source: PackageSource, aid: PackageAid) async throws(DownloadError) -> FetchCost {
    let status: FileStatus?
    do throws(SystemError) {
      status = try await disk.run { [partials] () throws(SystemError) in
        try partials.status(of: source.partialName)
      }
    } catch {
      throw .disk(error)
    }
    var position: Int64 = 0
    if let status, status.kind == .regular, status.size <= source.size { position = status.size }
    let way = await Rebuilder(shelf: shelf, disk: disk).way(of: source, aid: aid, from: position)
    if Task.isCancelled { throw .cancelled }
    return switch way {
    case .whole, .wholeAfterAll: FetchCost(bytes: source.size - position, isReusing: false)
    case .rebuild(_, let cost): FetchCost(bytes: cost, isReusing: true)
    }
  }

  /// What the package's index says of its files; nil without one that can be used.
  public func contents(of source: PackageSource, aid: PackageAid) async -> PackageContents? {
    // What is wrong with it is told where it matters more: when it is needed to spare bytes.
    guard let offer = aid.index, let index = try? await shelf.index(offer, of: source) else { return nil }
    return PackageContents(
      unpackedSize: index.unpackedSize, fileCount: index.fileCount, isEncrypted: index.isEncrypted)
  }

  /// Makes a package in `file`, open for reading and writing, whole again: what is too long is cut, blocks that are
  /// damaged are fetched, everything is hashed. Returns the bytes fetched, 0 for one that was whole. Throws
  /// `digestMismatch` when that was not enough or there are no digests of blocks: then only the whole helps.
  public func repair(
    _ source: PackageSource, in file: File, aid: PackageAid,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(DownloadError) -> Int64 {
    let url = try followable(source.url)
    let meter = ByteCount()
    do throws(DownloadError) {
      try await fetch(of: source, url, aid, file, meter, progress).repair()
    } catch {
      throw blamed(error)
    }
    return meter.value
  }
}
