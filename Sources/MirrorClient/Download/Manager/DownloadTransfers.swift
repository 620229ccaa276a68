internal import DepotModel
internal import HTTPClient
internal import Platform
internal import Synchronization

/// Does the downloads of a manager's own folder: files at URLs by `FileFetch`, packages by a `Downloader`.
struct DownloadTransfers: Sendable {
  private let engine: TransferEngine
  private let folder: Directory
  private let volume: any Volume
  private let token: BearerToken?
  private let retries: RetryPolicy
  private let timer: any RetryTimer
  private let now: @Sendable () -> Int64
  private let packages: Downloader?
  private let manifests: ManifestQuestion?
  private let disk: WorkerThreads

  /// Throws `disk` when the system has no threads.
  init(
    engine: TransferEngine, folder: Directory, volume: any Volume, options: DownloadOptions,
    timer: any RetryTimer, now: @escaping @Sendable () -> Int64
  ) throws(DownloadError) {
    self.engine = engine
    self.folder = folder
    self.volume = volume
    self.timer = timer
    self.now = now
    token = options.token
    retries = options.retries
    if let depot = options.depot {
      packages = try Downloader(
        engine: engine, partials: folder, volume: volume, server: depot, token: options.token,
        retries: options.retries, timer: timer)
      manifests = ManifestQuestion(engine: engine, depot: depot, token: options.token)
    } else {
      packages = nil
      manifests = nil
    }
    do throws(SystemError) {
      disk = try WorkerThreads(count: min(8, max(1, options.maximumActive)), name: "files")
    } catch {
      throw .disk(error)
    }
  }

  /// Throws for what can never be done.
  func check(_ download: Download) throws(DownloadError) {
    guard WebURL(download.url) != nil else { throw .badURL(download.url) }
    if case .package = download.id, packages == nil || download.package == nil { throw .badURL(download.url) }
    _ = try placement(of: download, ours: nil).place(nil)
  }

  /// Whether the file of a completed download stands and is proven, by the digest that is asked for, to be the one.
  func isProven(_ receipt: DownloadReceipt) async throws(DownloadError) -> Bool {
    guard let standing = try await standing(receipt.file) else { return false }
    return standing.sha256 == receipt.download.sha256
  }

  /// Brings the file here.
  func run(_ receipt: DownloadReceipt, _ reporter: DownloadReporter) async throws(DownloadError)
    -> DownloadArrival
  {
    let download = receipt.download
    let standing = try await standing(receipt.file)
    if let standing, standing.sha256 == download.sha256 {
      return DownloadArrival(file: standing, suggestedName: receipt.suggestedName)
    }
    let placement = placement(of: download, ours: standing?.isOurs == true ? standing : nil)
    let adopted = try await onDisk { (isCancelled) throws(DownloadError) in
      try placement.adopted(isCancelled: isCancelled)
    }
    if let adopted { return DownloadArrival(file: adopted, suggestedName: nil) }
    if case .package = download.id { return try await package(download, placement, reporter) }
    return try await file(receipt, standing, placement, reporter)
  }

  /// Removes the partial, and the whole file if nobody changed it since it was put there.
  func removeFiles(of receipt: DownloadReceipt) async throws(DownloadError) {
    try await onDisk { (_) throws(DownloadError) in
      do throws(SystemError) { try folder.removeTree(receipt.download.partialName) } catch {
        throw .disk(error)
      }
      guard let file = receipt.file, file.isOurs, try file.stands else { return }
      try FilePlace(file.path)?.remove()
    }
  }

  private func package(
    _ download: Download, _ placement: FilePlacement, _ reporter: DownloadReporter
  ) async throws(DownloadError) -> DownloadArrival {
    guard let packages, let source = download.package else { throw .badURL(download.url) }
    try await onDisk { (_) throws(DownloadError) in try placement.check(nil) }
    // Asked only when what came is not the package: of a damaged one, only the blocks that are wrong are fetched again.
    let aid = PackageAid(
      index: nil, standing: [], blocks: { [manifests] in await manifests?.blocks(of: source) })
    _ = try await packages.fetch(source, aid: aid) { progress in
      // What is read back from the disk has no speed worth telling.
      guard progress.phase != .checking else { return }
      reporter.moved(progress.done, progress.total, progress.done)
    }
    let path = try await onDisk { (_) throws(DownloadError) in try placement.put(nil) }
    return DownloadArrival(
      file: StandingFile(
        path: path, size: source.size, sha256: source.sha256, validators: .none, isOurs: true),
      suggestedName: nil)
  }

  private func file(
    _ receipt: DownloadReceipt, _ standing: StandingFile?, _ placement: FilePlacement,
    _ reporter: DownloadReporter
  ) async throws(DownloadError) -> DownloadArrival {
    let download = receipt.download
    guard let url = WebURL(download.url) else { throw .badURL(download.url) }
    let partial = try await onDisk { (_) throws(DownloadError) in try openPartial(of: download) }
    let fetch = FileFetch(
      download: download, url: url, token: token, engine: engine, partial: partial, placement: placement,
      standing: standing?.validators, retries: retries, timer: timer, disk: disk, reporter: reporter,
      now: now)
    let facts = FileSink.Facts(
      validators: receipt.validators, expected: receipt.expected, suggestedName: receipt.suggestedName)
    // An empty partial tells nothing; one that cannot be removed is written over next time.
    defer { if partial.position == 0 { _ = try? folder.removeFile(download.partialName) } }
    switch try await fetch.run(trusted: receipt.durable, facts: facts) {
    case .notModified:
      guard let standing else { throw .badAnswer("status 304 to a request without a condition") }
      return DownloadArrival(file: standing, suggestedName: receipt.suggestedName)
    case .whole(let facts, let sha256):
      let path = try await onDisk { (_) throws(DownloadError) in try placement.put(facts.suggestedName) }
      return DownloadArrival(
        file: StandingFile(
          path: path, size: partial.position, sha256: sha256, validators: facts.validators, isOurs: true),
        suggestedName: facts.suggestedName)
    }
  }

  private func placement(of download: Download, ours: StandingFile?) -> FilePlacement {
    FilePlacement(download: download, folder: folder, volume: volume, ours: ours)
  }

  /// The file, if it stands unchanged.
  private func standing(_ file: StandingFile?) async throws(DownloadError) -> StandingFile? {
    guard let file, let place = FilePlace(file.path) else { return nil }
    return try await onDisk { (isCancelled) throws(DownloadError) in
      guard try file.stands else { return nil }
      return try place.sha256(isCancelled: isCancelled) == file.sha256 ? file : nil
    }
  }

  private func openPartial(of download: Download) throws(DownloadError) -> FilePartial {
    do throws(SystemError) {
      let name = download.partialName
      // Nobody's download is a folder, a symlink or a pipe: whatever it is, it would be in the way for ever.
      if let status = try folder.status(of: name), status.kind != .regular { try folder.removeTree(name) }
      return FilePartial(
        try folder.file(name, mode: .readWrite), volume: volume, needsMD5: download.md5 != nil)
    } catch {
      throw .disk(error)
    }
  }

  private func onDisk<Result: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws(DownloadError) -> Result
  ) async throws(DownloadError) -> Result {
    let isCancelled = StopFlag()
    let result: Swift.Result<Result, DownloadError> = await withTaskCancellationHandler {
      await disk.run {
        Swift.Result { () throws(DownloadError) in try body { isCancelled.isSet } }
      }
    } onCancel: {
      isCancelled.set()
    }
    return try result.get()
  }
}
