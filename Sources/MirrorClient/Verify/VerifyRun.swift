internal import DepotModel
internal import HTTPClient
internal import Platform

/// One verification, from top to bottom, under the lock.
struct VerifyRun: Sendable {
  /// Where packages come from that have to be fetched.
  struct Supply: Sendable {
    let source: any DepotSource
    let fetcher: any PackageFetching
    /// Where a version's package is.
    let url: @Sendable (GameID, H5Version) -> WebURL?
  }

  let root: Directory
  let store: Store
  let options: VerifyOptions
  let stop: StopFlag

  private var check: VersionCheck {
    let stop = stop
    return VersionCheck(root: root, store: store, isFull: options.isFull) { stop.isSet }
  }

  /// With a session, what is damaged is mended; with a supply, packages, too.
  func run(_ session: MirrorSession?, _ supply: Supply?) async throws(MirrorError) -> VerifyReport {
    let versions = try store.allVersions().filter { options.only.isEmpty || options.only.contains($0.id) }
    for id in options.only.sorted() where !versions.contains(where: { $0.id == id }) {
      throw .notInstalled(id.text)
    }
    if let session { try removeLeftovers(of: Set(versions.map(\.id)), session) }
    var report = VerifyReport()
    report.games = Set(versions.map(\.id)).count
    report.versions = versions.count
    for (version, result) in try await look(at: versions) {
      report.files += result.files
      report.bytes += result.bytes
      if result.isUnlisted { report.unlisted.append("\(version.id) \(version.version)") }
      guard !result.damages.isEmpty else { continue }
      guard let session else {
        report.damages += result.damages
        continue
      }
      try await mend(version, result.damages, session, supply, &report)
    }
    return report
  }

  /// What an earlier repair left that was cut short.
  private func removeLeftovers(of games: Set<GameID>, _ session: MirrorSession) throws(MirrorError) {
    try onDisk { () throws(SystemError) in
      for id in games.sorted() where try session.disk.games.status(of: id.text)?.kind == .directory {
        try session.installer.removeLeftovers(in: session.disk.games.directory(id.text))
      }
    }
  }

  /// Several at a time: reading and hashing keep a processor and a disk busy each.
  private func look(
    at versions: [InstalledVersion]
  ) async throws(MirrorError) -> [(version: InstalledVersion, result: VersionCheck.Result)] {
    let width = min(4, ResourceLimits.processors, max(1, versions.count))
    let workers = try onDisk { () throws(SystemError) in try WorkerThreads(count: width, name: "verify") }
    defer { workers.shutdown() }
    let check = check
    let found = await withTaskGroup(of: (Int, Result<VersionCheck.Result, MirrorError>).self) { group in
      for index in versions.indices {
        group.addTask {
          let result = await workers.run { () -> Result<VersionCheck.Result, MirrorError> in
            Result { () throws(MirrorError) in
              guard !check.isCancelled() else { throw .cancelled }
              return try check.run(versions[index])
            }
          }
          return (index, result)
        }
      }
      var found: [Int: Result<VersionCheck.Result, MirrorError>] = [:]
      for await (index, result) in group { found[index] = result }
      return found
    }
    var results: [(version: InstalledVersion, result: VersionCheck.Result)] = []
    for (index, version) in versions.enumerated() {
      guard let result = try found[index]?.get() else { continue }
      results.append((version, result))
    }
    return results
  }

  private func mend(
    _ version: InstalledVersion, _ damages: [Damage], _ session: MirrorSession, _ supply: Supply?,
    _ report: inout VerifyReport
  ) async throws(MirrorError) {
    do throws(MirrorError) {
      try await mend(version, damages, session, supply, fetched: &report.bytesFetched)
    } catch {
      if error == .cancelled { throw error }
      report.failures.append("\(version.id) \(version.version): \(error)")
    }
    // What was mended is what is not found any more.
    let left = try check.run(version).damages
    report.damages += left
    let places = Set(left.map(\.path))
    report.repaired += damages.filter { !places.contains($0.path) }
  }

  private func mend(
    _ version: InstalledVersion, _ damages: [Damage], _ session: MirrorSession, _ supply: Supply?,
    fetched: inout Int64
  ) async throws(MirrorError) {
    let stop = stop
    let repair = VersionRepair(
      version: version, disk: session.disk, store: store, installer: session.installer,
      isCancelled: { stop.isSet })
    var areFilesMended = true
    if version.isUnpacked, damages.contains(where: { !$0.isPackage }) {
      areFilesMended = try repair.mendFiles(damages, from: try repair.package())
      if damages.contains(where: \.concernsCurrent) { try repair.mendCurrent() }
    }
    let isPackageSound = !damages.contains(where: \.isPackage)
    guard !areFilesMended || !isPackageSound else { return }
    guard let supply else {
      throw .download(reason: "its package has to be fetched for that: give the --server it came from")
    }
    guard let url = supply.url(version.id, version.version) else {
      throw .download(reason: "the server's address cannot be made longer")
    }
    let release = Release(
      id: version.id, title: version.title, version: version.version, url: url, sha256: version.sha256,
      md5: version.md5, size: version.size, publishedAt: version.installedAt)
    let source = supply.source
    let request = PackageRequest(
      release: release,
      aid: PackageAid(index: nil, standing: [], blocks: { try? await source.blocks(of: release) }))
    let package = try await repair.fetchPackage(request, supply.fetcher)
    fetched += package.bytesFetched
    if !areFilesMended {
      let left = try check.run(version).damages
      _ = try repair.mendFiles(left, from: package.file)
    }
    try repair.dropPackage()
  }
}
