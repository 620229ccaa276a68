internal import DepotModel
internal import HTTPClient
internal import Platform

extension PackageFetch {
  /// Ends when the file is the package, by fetching damaged blocks of it at most.
  func repair() async throws(DownloadError) {
    guard let error = try await flaw() else { return }
    let size = source.size
    do throws(SystemError) {
      try await disk.run { [file] () throws(SystemError) in
        if try file.size > size { try file.truncate(to: size) }
      }
    } catch {
      throw .disk(error)
    }
    guard try await mend(atMost: source.size) != nil else { throw error }
    if let error = try await flaw() { throw error }
    do throws(SystemError) {
      try await disk.run { [file, volume] () throws(SystemError) in try volume.synchronize(file) }
    } catch {
      throw .disk(error)
    }
  }

  /// What is wrong with the file; nil when it is the package.
  private func flaw() async throws(DownloadError) -> DownloadError? {
    try await cancellable { (isCancelled) throws(DownloadError) in
      let whole = Partial(source, file: file, volume: volume, hashers: hashers)
      do throws(SystemError) {
        // It would be cut away while it is looked at.
        let size = try file.size
        guard size <= source.size else { return .sizeMismatch(expected: source.size, actual: size) }
      } catch {
        throw .disk(error)
      }
      try whole.load(isCancelled: isCancelled) { report(.checking, $0) }
      return whole.mismatch()
    }
  }

  /// Fetches those blocks again that are not what the manifest says, each once. The bytes of those blocks; nil when that
  /// cannot be done or they have more than `limit`. Whether the package is right then is still to be seen.
  func mend(atMost limit: Int64) async throws(DownloadError) -> Int64? {
    guard let blocks = await aid.blocks?(), blocks.packageSize == source.size else { return nil }
    let damaged: [Range<Int64>]
    do throws(DamageSearch.Failure) {
      damaged = try await cancellable { (isCancelled) throws(DamageSearch.Failure) in
        try DamageSearch(blocks: blocks, file: file).ranges(isCancelled: isCancelled) {
          report(.checking, $0)
        }
      }
    } catch {
      switch error {
      case .disk(let error): throw .disk(error)
      case .cancelled: throw .cancelled
      }
    }
    let bytes = damaged.reduce(0) { $0 + Int64($1.count) }
    guard bytes <= limit else { return nil }
    var done: Int64 = 0
    for range in damaged {
      guard try await fetch(range, after: done) else { return nil }
      done += Int64(range.count)
    }
    return bytes
  }

  /// Fetches a range over what is there. False when the server cannot be asked for it.
  private func fetch(_ range: Range<Int64>, after before: Int64) async throws(DownloadError) -> Bool {
    var position = range.lowerBound
    var patience = Patience()
    while position < range.upperBound {
      let question = PackageQuestion(source: source, start: position, end: range.upperBound)
      let sink = RangeSink(question, file: file, volume: volume) { count($0) }
      report(.fetching, source.size)
      let failure = await download(question, to: sink)
      position = sink.position
      switch sink.refusal {
      case .final(.disk(let error)): throw .disk(error)
      case .final, .unusableRange: return false
      case nil: break
      }
      if failure == nil, position == range.upperBound { break }
      let error = failure ?? .bodyIncomplete(expected: range.upperBound, received: position)
      if error == .cancelled { throw .cancelled }
      if case .status = error, !error.isRetryable { return false }
      try await pause(after: error, at: position, &patience)
    }
    return true
  }
}

/// Finds the blocks of a file that are not what they should be.
struct DamageSearch: Sendable {
  let blocks: PackageBlocks
  let file: File

  /// Why it ended.
  enum Failure: Error {
    case disk(SystemError)
    case cancelled
  }

  /// The ranges of the package that are damaged or missing, in order, neighbours joined. `progress` is told how many
  /// bytes were looked at.
  func ranges(
    isCancelled: @Sendable () -> Bool, progress: @Sendable (Int64) -> Void
  ) throws(Failure) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    for (block, digest) in blocks.digests.enumerated() {
      if isCancelled() { throw .cancelled }
      let range = blocks.range(of: block)
      if try self.digest(of: range) != digest.bytes {
        if let last = ranges.last, last.upperBound == range.lowerBound {
          ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
          ranges.append(range)
        }
      }
      progress(range.upperBound)
    }
    return ranges
  }

  private func digest(of range: Range<Int64>) throws(Failure) -> [UInt8] {
    var hash = Hash(.sha256)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var position = range.lowerBound
    do throws(SystemError) {
      while position < range.upperBound {
        let wanted = Int(min(range.upperBound - position, Int64(buffer.count)))
        let count = try file.read(into: &buffer, count: wanted, at: position)
        if count == 0 { break }
        hash.update(buffer, count: count)
        position += Int64(count)
      }
    } catch {
      // A disk that cannot read a block (EIO) may well take it written anew.
      return []
    }
    return hash.finish()
  }
}
