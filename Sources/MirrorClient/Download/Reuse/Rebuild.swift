internal import Platform

/// A package that is put together from its index, packages that stand here, and ranges of itself.
struct Rebuild: Sendable {
  let plan: RebuildPlan
  /// The packages that stand here, open.
  let standing: [File]

  /// Why copying ended.
  enum Failure: Error {
    case disk(SystemError)
    /// A package that stands here cannot be read where its directory says that something is.
    case unreadable(String)
    case cancelled
  }

  private static let chunk = 256 << 10

  /// Appends to `partial` what can be had here, up to the next bytes that must come over the network: the end of those
  /// then; nil when the package is complete. Runs on a thread for the disk; memory is that of one chunk.
  func copy(
    into partial: Partial, isCancelled: @Sendable () -> Bool, progress: @escaping @Sendable (Int64) -> Void
  ) throws(Failure) -> Int64? {
    var output = Output(partial: partial, progress: progress)
    for step in plan.steps[plan.step(at: partial.position)...] {
      let done = output.position - step.offset
      switch step.source {
      case .network:
        try output.flush()
        return step.end
      case .index(let bytes): try output.append(bytes.dropFirst(Int(done)))
      case .standing(let package, let start):
        try copy(step, done, from: standing[package], at: start, to: &output, isCancelled)
      case .earlier(let start):
        try output.flush()
        try copy(step, done, from: partial.file, at: start, to: &output, isCancelled)
      }
      if isCancelled() { throw .cancelled }
    }
    try output.flush()
    return nil
  }

  private func copy(
    _ step: RebuildPlan.Step, _ start: Int64, from file: File, at offset: Int64, to output: inout Output,
    _ isCancelled: () -> Bool
  ) throws(Failure) {
    var done = start
    while done < step.length {
      let count = Int(min(step.length - done, Int64(output.room)))
      let bytes: [UInt8]
      do throws(SystemError) { bytes = try file.bytes(at: offset + done, count: count) } catch {
        throw .unreadable(error.description)
      }
      guard bytes.count == count else { throw .unreadable("\(file.path) is shorter than it should be") }
      try output.append(bytes)
      done += Int64(count)
      if isCancelled() { throw .cancelled }
    }
  }

  /// Gathers small pieces, so that ten thousand of them are not as many writes.
  private struct Output {
    let partial: Partial
    let progress: @Sendable (Int64) -> Void
    private var buffer: [UInt8] = []

    init(partial: Partial, progress: @escaping @Sendable (Int64) -> Void) {
      self.partial = partial
      self.progress = progress
    }

    var position: Int64 { partial.position + Int64(buffer.count) }
    /// Bytes until the next write.
    var room: Int { Rebuild.chunk - buffer.count }

    mutating func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
      buffer.append(contentsOf: bytes)
      if buffer.count >= Rebuild.chunk { try flush() }
    }

    mutating func append(_ bytes: [UInt8]) throws(Failure) {
      if buffer.isEmpty, bytes.count == Rebuild.chunk {
        buffer = bytes
        return try flush()
      }
      try append(bytes[...])
    }

    mutating func flush() throws(Failure) {
      guard !buffer.isEmpty else { return }
      let bytes = buffer
      // The MD5 lane keeps what it is given a while.
      buffer = []
      do throws(SystemError) { try partial.append(bytes) } catch { throw .disk(error) }
      progress(partial.position)
    }
  }
}
