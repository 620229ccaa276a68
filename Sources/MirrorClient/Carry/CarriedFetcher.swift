internal import DepotModel
internal import Platform

/// Copies packages that were carried here into the folder of partials, and proves them as if they had been downloaded.
struct CarriedFetcher: PackageFetching {
  private static let pieceSize = 1 << 20

  private let packages: CarriedPackages
  private let partials: Directory
  private let volume: any Volume
  private let workers: WorkerThreads

  /// Throws `system` when there are no threads for it.
  init(_ packages: CarriedPackages, partials: Directory, volume: any Volume, threads: Int) throws(MirrorError)
  {
    self.packages = packages
    self.partials = partials
    self.volume = volume
    workers = try onDisk { () throws(SystemError) in try WorkerThreads(count: threads, name: "copy") }
  }

  func fetch(
    _ request: PackageRequest, progress: @escaping @Sendable (Int64) -> Void
  ) async throws(MirrorError) -> FetchedPackage {
    let stop = StopFlag()
    let result = await withTaskCancellationHandler {
      await workers.run { () -> Result<FetchedPackage, MirrorError> in
        do throws(MirrorError) {
          return .success(try copy(request.release, stop, progress))
        } catch {
          return .failure(error)
        }
      }
    } onCancel: {
      stop.set()
    }
    return try result.get()
  }

  private func copy(
    _ release: Release, _ stop: StopFlag, _ progress: (Int64) -> Void
  ) throws(MirrorError) -> FetchedPackage {
    guard let place = try packages.place(of: release) else {
      throw .download(reason: "its package was not carried along")
    }
    let name = MirrorDisk.partialName(release.sha256)
    let partial = try onDisk { () throws(SystemError) in
      // Whatever else stands there would be in the way for ever.
      if let status = try partials.status(of: name), status.kind != .regular { try partials.removeTree(name) }
      let file = try partials.file(name, mode: .readWrite)
      try file.truncate(to: 0)
      return file
    }
    var sha256 = Hash(.sha256)
    var md5 = Hash(.md5)
    var done: Int64 = 0
    while done < place.size {
      guard !stop.isSet else { throw .cancelled }
      let wanted = Int(min(Int64(Self.pieceSize), place.size - done))
      let piece = try onDisk { () throws(SystemError) in
        try place.file.bytes(at: place.offset + done, count: wanted)
      }
      guard piece.count == wanted else {
        throw .download(reason: "\(place.file.path) ends after \(done) of \(place.size) bytes of it")
      }
      try onDisk { () throws(SystemError) in try volume.write(piece, to: partial, at: done) }
      sha256.update(piece)
      md5.update(piece)
      done += Int64(piece.count)
      progress(done)
    }
    let found = (sha256: SHA256Digest(bytes: sha256.finish()), md5: MD5Digest(bytes: md5.finish()))
    guard found.sha256 == release.sha256, found.md5 == release.md5 else {
      throw .download(
        reason:
          "its package in \(packages.path) is damaged: SHA-256 is \(found.sha256?.hex ?? "none"), not \(release.sha256.hex)"
      )
    }
    try onDisk { () throws(SystemError) in try volume.synchronize(partial) }
    return FetchedPackage(file: partial, name: name, bytesFetched: done)
  }
}
