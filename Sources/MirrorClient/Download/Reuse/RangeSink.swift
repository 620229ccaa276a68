internal import HTTPClient
internal import Platform
internal import Synchronization

/// Puts the answer to a request for a range of a package over what a file has there.
final class RangeSink: TransferSink {
  private struct State {
    var position: Int64
    var refusal: PackageSink.Refusal?
  }

  private let question: PackageQuestion
  private let end: Int64
  private let file: File
  private let volume: any Volume
  private let onBytes: @Sendable (Int) -> Void
  private let state: Mutex<State>

  /// `onBytes` is told the number of bytes after each write.
  init(
    _ question: PackageQuestion, file: File, volume: any Volume, onBytes: @escaping @Sendable (Int) -> Void
  ) {
    self.question = question
    end = question.end ?? question.source.size
    self.file = file
    self.volume = volume
    self.onBytes = onBytes
    state = Mutex(State(position: question.start))
  }

  /// The next byte goes there.
  var position: Int64 { state.withLock { $0.position } }

  /// Set when a call returned false.
  var refusal: PackageSink.Refusal? { state.withLock { $0.refusal } }

  func accept(_ head: ResponseHead) -> Bool {
    guard head.status == 206 else {
      return refuse(.unusableRange(.badAnswer("status \(head.status) to a range")))
    }
    guard let flaw = question.flaw(of: head) else { return true }
    return refuse(flaw)
  }

  func receive(_ chunk: [UInt8]) -> Bool {
    let position = position
    guard Int64(chunk.count) <= end - position else {
      return refuse(.unusableRange(.sizeMismatch(expected: end, actual: position + Int64(chunk.count))))
    }
    do throws(SystemError) { try volume.write(chunk, to: file, at: position) } catch {
      return refuse(.final(.disk(error)))
    }
    state.withLock { $0.position = position + Int64(chunk.count) }
    onBytes(chunk.count)
    return true
  }

  private func refuse(_ refusal: PackageSink.Refusal) -> Bool {
    state.withLock { $0.refusal = refusal }
    return false
  }
}
