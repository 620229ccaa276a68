internal import DepotModel
internal import HTTPClient
internal import Platform
internal import Synchronization

/// Judges the answer to one request for a package or its rest, and puts the body where it belongs.
final class PackageSink: TransferSink {
  /// Why the answer is of no use.
  enum Refusal: Error {
    case final(DownloadError)
    /// It is no answer to the range that was asked for; asked for the whole, the server may do better.
    case unusableRange(DownloadError)
  }

  private let partial: Partial
  private let question: PackageQuestion
  private let onBytes: @Sendable (Int) -> Void
  private let state = Mutex(State())

  private struct State {
    var refusal: Refusal?
    var isWhole = false
  }

  /// `onBytes` is told the number of bytes after each write.
  init(
    _ partial: Partial, _ question: PackageQuestion, onBytes: @escaping @Sendable (Int) -> Void
  ) {
    self.partial = partial
    self.question = question
    self.onBytes = onBytes
  }

  /// Set when a call returned false.
  var refusal: Refusal? { state.withLock { $0.refusal } }

  /// The server sent everything from the first byte on, asked to or not.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  func accept(_ head: ResponseHead) -> Bool {
    succeeds { () throws(Refusal) in
      switch head.status {
      case 200: try self.acceptWhole(head)
      case 206: if let flaw = self.question.flaw(of: head) { throw flaw }
      default: throw .final(.badAnswer("status \(head.status)"))
      }
    }
  }

  func receive(_ chunk: [UInt8]) -> Bool {
    succeeds { () throws(Refusal) in
      let partial = self.partial
      let end = self.isWhole ? partial.source.size : self.question.end ?? partial.source.size
      guard Int64(chunk.count) <= end - partial.position else {
        let error = DownloadError.sizeMismatch(expected: end, actual: partial.position + Int64(chunk.count))
        // The rest of a package and more is another package; a part and more is a server that cannot count.
        throw end == partial.source.size ? .final(error) : .unusableRange(error)
      }
      do throws(SystemError) { try partial.append(chunk) } catch { throw .final(.disk(error)) }
      self.onBytes(chunk.count)
    }
  }

  /// RFC 9110 §13.1.5: a 200 to a range with `If-Range` says that ours is not the beginning of what is there now.
  private func acceptWhole(_ head: ResponseHead) throws(Refusal) {
    let size = partial.source.size
    if let length = head.contentLength, length != size {
      throw .final(.sizeMismatch(expected: size, actual: length))
    }
    state.withLock { $0.isWhole = true }
    guard partial.position > 0 else { return }
    do throws(SystemError) { try partial.restart() } catch { throw .final(.disk(error)) }
  }

  private func succeeds(_ body: () throws(Refusal) -> Void) -> Bool {
    do throws(Refusal) {
      try body()
      return true
    } catch {
      state.withLock { $0.refusal = error }
      return false
    }
  }
}
