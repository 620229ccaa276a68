internal import HTTPWire
public import Platform
internal import Synchronization

/// Writes a line for each request.
///
/// Loops render lines into buffers of their own and hand them over in batches, at the latest a second later; one
/// thread writes them. When it falls far behind lines are dropped, and the next batch that is written is followed by
/// a warning that says how many. Safe to use from any thread.
public final class AccessLog: Sendable {
  /// The form of a line.
  public enum Format: String, Sendable, CaseIterable {
    /// As Apache's combined form, then the seconds it took and the request id:
    /// `127.0.0.1 - - [03/Feb/2026:04:05:06 +0000] "GET /games HTTP/1.1" 200 512 "-" "curl/8.5" 0.000213 4f2a…`
    case text
    /// One JSON object: `time`, `remote`, `method`, `target`, `protocol`, `status`, `bytes`, `seconds`, `requestId`,
    /// `host`, `referer`, `userAgent`.
    case json
  }

  /// Where the lines go.
  public enum Destination: Sendable {
    /// Added to the end; created when missing.
    case file(String)
    case standardOutput
  }

  /// Bytes that may wait for the writer.
  static let backlog = 8 << 20

  let format: Format
  private let destination: Destination
  private let logger: Logger
  private let file: Mutex<AppendFile>
  private let writer: WorkerThreads
  private let waiting = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let limit: Int

  /// Opens the destination. `logger` hears of lines that could not be written.
  public convenience init(format: Format, destination: Destination, logger: Logger) throws(SystemError) {
    try self.init(format: format, destination: destination, logger: logger, limit: Self.backlog)
  }

  init(format: Format, destination: Destination, logger: Logger, limit: Int) throws(SystemError) {
    self.format = format
    self.destination = destination
    self.logger = logger
    self.limit = limit
    file = Mutex(try Self.open(destination))
    writer = try WorkerThreads(count: 1, name: "access-log")
  }

  private static func open(_ destination: Destination) throws(SystemError) -> AppendFile {
    switch destination {
    case .file(let path): try AppendFile(path: path)
    case .standardOutput: AppendFile(.output)
    }
  }

  /// Opens the file under its name again, after something moved it away: for SIGHUP. The old one is kept if that fails.
  public func reopen() {
    writer.submit { [self] in
      do throws(SystemError) {
        let opened = try Self.open(destination)
        file.withLock { $0 = opened }
      } catch {
        logger.error("The access log stays where it is: \(error)")
      }
    }
  }

  /// Writes what waits, and returns then. Lines that come later are written by whoever brings them.
  public func close() { writer.shutdown() }

  /// Runs `body` when the lines so far are written.
  func onceWritten(_ body: @escaping @Sendable () -> Void) { writer.submit(body) }

  /// Takes whole lines to write.
  func add(_ lines: [UInt8], count: Int) {
    guard waiting.add(lines.count, ordering: .relaxed).newValue <= limit else {
      waiting.subtract(lines.count, ordering: .relaxed)
      dropped.add(count, ordering: .relaxed)
      return
    }
    writer.submit { [self] in
      write(lines, count: count)
      waiting.subtract(lines.count, ordering: .relaxed)
    }
  }

  private func write(_ lines: [UInt8], count: Int) {
    do throws(SystemError) {
      try file.withLock { $0 }.write(lines)
    } catch {
      // Told once per gap: the count is reported when writing works again.
      if dropped.add(count, ordering: .relaxed).oldValue == 0 {
        logger.error("Access log lines are lost: \(error)")
      }
      return
    }
    let lost = dropped.exchange(0, ordering: .relaxed)
    if lost > 0 { logger.warning("Access log lines were lost.", ["count": "\(lost)"]) }
  }
}

/// The lines of one loop that are not handed over yet.
struct AccessLogBuffer: ~Copyable {
  private static var batch: Int { 32 << 10 }

  private let log: AccessLog
  private var lines = OutputBuffer(capacity: Self.batch + 1024)
  private var count = 0

  init(_ log: AccessLog) { self.log = log }

  /// Adds the line of an answer that ends now. `startedAt` is in nanoseconds of the monotonic clock.
  mutating func append(_ entry: borrowing AccessLogEntry, startedAt: Int64, _ stamp: borrowing TimeStamp) {
    entry.append(to: &lines, as: log.format, at: stamp, Self.microseconds(since: startedAt))
    endLine()
  }

  /// The same of an answer that is given again, under another request id.
  mutating func append(
    _ known: RepeatedRequest, to peer: PeerAddress, id: UInt64, startedAt: Int64, _ stamp: borrowing TimeStamp
  ) {
    let pieces = known.logged(as: log.format)
    AccessLogEntry.appendStart(to: &lines, as: log.format, at: stamp, peer)
    lines.append(pieces.middle)
    lines.append(seconds: Self.microseconds(since: startedAt))
    AccessLogEntry.appendMark(to: &lines, as: log.format)
    IdentifierSource.append(id, to: &lines)
    lines.append(pieces.end)
    endLine()
  }

  private static func microseconds(since start: Int64) -> Int64 {
    (SystemClock.monotonicNanoseconds - start) / 1000
  }

  private mutating func endLine() {
    count += 1
    if lines.count >= Self.batch { flush() }
  }

  /// Hands the lines over.
  mutating func flush() {
    guard count > 0 else { return }
    log.add(lines.copy(from: 0), count: count)
    lines.removeAll()
    count = 0
  }
}
