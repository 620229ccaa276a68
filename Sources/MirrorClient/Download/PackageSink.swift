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
  /// The first byte asked for; 0: the whole was.
  private let start: Int64
  private let onBytes: @Sendable (Int) -> Void
  private let state = Mutex(State())

  private struct State {
    var refusal: Refusal?
    var isWhole = false
  }

  /// `onBytes` is told the number of bytes after each write.
  init(_ partial: Partial, onBytes: @escaping @Sendable (Int) -> Void) {
    self.partial = partial
    start = partial.position
    self.onBytes = onBytes
  }

  /// Set when a call returned false.
  var refusal: Refusal? { state.withLock { $0.refusal } }

  /// The server sent everything from the first byte on, asked to or not.
  var isWhole: Bool { state.withLock { $0.isWhole } }

  /// The strong entity tag a depot gives a package: its SHA-256.
  static func entityTag(of source: PackageSource) -> String { "\"\(source.sha256.hex)\"" }

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
      let (partial, size) = (self.partial, self.partial.source.size)
      guard Int64(chunk.count) <= size - partial.position else {
        throw .final(.sizeMismatch(expected: size, actual: partial.position + Int64(chunk.count)))
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

  /// RFC 9110 §15.3.7: only the bytes that were asked for, of a whole as long as ours, may be appended.
  private func acceptRest(_ head: ResponseHead) throws(Refusal) {
    guard start > 0 else { throw .final(.badAnswer("status 206 to a request without Range")) }
    guard let answer = head.contentRange, let range = answer.range else {
      throw .unusableRange(.badAnswer("status 206 without a usable Content-Range"))
    }
    guard range.lowerBound == start else {
      throw .unusableRange(.badAnswer("asked for bytes from \(start), got them from \(range.lowerBound)"))
    }
    guard answer.total == partial.source.size else {
      throw .unusableRange(.sizeMismatch(expected: partial.source.size, actual: answer.total ?? -1))
    }
    // A server that ignores If-Range still tells by its tag that the bytes are others.
    if let tag = head["ETag"], !tag.hasPrefix("W/"), tag != Self.entityTag(of: partial.source) {
      throw .unusableRange(
        .badAnswer("status 206 with ETag \(tag), asked for \(Self.entityTag(of: partial.source))"))
    }
    if let length = head.contentLength, length != Int64(range.count) {
      throw .unusableRange(.badAnswer("Content-Length \(length) disagrees with Content-Range"))
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
