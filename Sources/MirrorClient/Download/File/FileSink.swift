internal import HTTPClient
internal import Platform
internal import Synchronization

/// Judges the answer to one request for a file or its rest, and puts the body where it belongs.
final class FileSink: TransferSink {
  /// Why the answer is of no use.
  enum Refusal: Error {
    case final(DownloadError)
    /// It is no answer to the range that was asked for; asked for the whole, the server may do better.
    case unusableRange(DownloadError)
  }

  /// What this run knows of the file by now.
  struct Facts: Sendable {
    var validators: Validators
    /// Bytes of the whole.
    var expected: Int64?
    var suggestedName: String?
  }

  private struct State {
    var facts: Facts
    var refusal: Refusal?
    var isWhole = false
    var lastSync: Int64
  }

  /// Milliseconds between two times that bytes are synchronized and told as durable.
  static let syncInterval: Int64 = 1_000

  private let partial: FilePartial
  private let download: Download
  private let placement: FilePlacement
  private let reporter: DownloadReporter
  private let now: @Sendable () -> Int64
  /// The first byte asked for; 0: the whole was.
  private let start: Int64
  private let state: Mutex<State>

  init(
    _ partial: FilePartial, of download: Download, facts: Facts, placement: FilePlacement,
    reporter: DownloadReporter, now: @escaping @Sendable () -> Int64
  ) {
    self.partial = partial
    self.download = download
    self.placement = placement
    self.reporter = reporter
    self.now = now
    start = partial.position
    state = Mutex(State(facts: facts, lastSync: now()))
  }

  /// As the answer told it.
  var facts: Facts { state.withLock { $0.facts } }
  /// Set when a call returned false.
  var refusal: Refusal? { state.withLock { $0.refusal } }
  /// The server sent everything from the first byte on, asked to or not.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  func accept(_ head: ResponseHead) -> Bool {
    succeeds { () throws(Refusal) in
      switch head.status {
      case 200: try self.acceptWhole(head)
      case 206: try self.acceptRest(head)
      default: throw .final(.badAnswer("status \(head.status)"))
      }
    }
  }

  func receive(_ chunk: [UInt8]) -> Bool {
    succeeds { () throws(Refusal) in
      let position = self.partial.position + Int64(chunk.count)
      if let size = self.download.size, position > size {
        throw .final(.sizeMismatch(expected: size, actual: position))
      }
      let isDue = self.state.withLock { state in
        let time = self.now()
        guard time - state.lastSync >= Self.syncInterval else { return false }
        state.lastSync = time
        return true
      }
      do throws(SystemError) {
        try self.partial.append(chunk)
        if isDue { try self.partial.synchronize() }
      } catch {
        throw .final(.disk(error))
      }
      self.reporter.moved(position, self.facts.expected, self.partial.durable)
    }
  }

  /// RFC 9110 §13.1.5: a 200 to a range with `If-Range` says that ours is not the beginning of what is there now.
  private func acceptWhole(_ head: ResponseHead) throws(Refusal) {
    let length = head.contentLength
    if let size = download.size, let length, length != size {
      throw .final(.sizeMismatch(expected: size, actual: length))
    }
    // RFC 9112 §8: a body that ends with the connection may have been cut without any sign.
    let isChunked = head["Transfer-Encoding"]?.lowercased().contains("chunked") == true
    guard length != nil || isChunked || download.size != nil || download.sha256 != nil || download.md5 != nil
    else {
      throw .final(
        .badAnswer("neither its length nor its end is told, and no size or digest is known to check it by"))
    }
    let facts = Facts(
      validators: Validators(head), expected: length ?? download.size, suggestedName: Self.name(head))
    try check(facts.suggestedName)
    state.withLock { state in
      state.isWhole = true
      state.facts = facts
    }
    do throws(DownloadError) { try reporter.begins(facts) } catch { throw .final(error) }
    do throws(SystemError) { try partial.restart() } catch { throw .final(.disk(error)) }
  }

  /// RFC 9110 §15.3.7: only the bytes that were asked for, of a whole as long as ours, may be appended.
  private func acceptRest(_ head: ResponseHead) throws(Refusal) {
    let known = facts
    guard start > 0 else { throw .final(.badAnswer("status 206 to a request without Range")) }
    guard let answer = head.contentRange, let range = answer.range else {
      throw .unusableRange(.badAnswer("status 206 without a usable Content-Range"))
    }
    guard range.lowerBound == start else {
      throw .unusableRange(.badAnswer("asked for bytes from \(start), got them from \(range.lowerBound)"))
    }
    guard let total = answer.total, known.expected == nil || known.expected == total else {
      throw .unusableRange(.sizeMismatch(expected: known.expected ?? -1, actual: answer.total ?? -1))
    }
    // A server that ignores If-Range still tells by its tag that the bytes are others.
    if let tag = head["ETag"], let ours = known.validators.entityTag, tag != ours {
      throw .unusableRange(.badAnswer("status 206 with ETag \(tag), asked for \(ours)"))
    }
    if let length = head.contentLength, length != Int64(range.count) {
      throw .unusableRange(.badAnswer("Content-Length \(length) disagrees with Content-Range"))
    }
    try check(known.suggestedName)
    state.withLock { $0.facts.expected = total }
  }

  private func check(_ suggestedName: String?) throws(Refusal) {
    do throws(DownloadError) { try placement.check(suggestedName) } catch { throw .final(error) }
  }

  private static func name(_ head: ResponseHead) -> String? {
    head["Content-Disposition"].flatMap { ContentDisposition.fileName($0) }.flatMap {
      SafeFileName.make(from: $0)
    }
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
