internal import Glibc
internal import Synchronization

/// Writes the application's log: one line an event, to standard error or another descriptor, as text or JSON.
///
/// Every value is escaped, so that what a client sent can neither end a line nor act on a terminal. Safe to use from
/// any thread; a line is one write(2).
public struct Logger: Sendable {
  /// How much an event matters.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warning, error

    /// By how much they matter.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    /// As it stands in a line.
    public var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .notice: "notice"
      case .warning: "warning"
      case .error: "error"
      }
    }
  }

  /// The form of a line.
  public enum Format: String, Sendable, CaseIterable {
    /// `2026-02-03T04:05:06.789Z warning: what happened key="value"`
    case text
    /// One JSON object: `time`, `level`, `message`, `requestId` when known, then the fields.
    case json
  }

  /// Further facts about an event, in the order they are written.
  public typealias Fields = KeyValuePairs<String, String>

  private let format: Format
  private let minimum: Level
  private let sink: Sink

  /// Events below `minimum` are left out. The descriptor is only borrowed.
  public init(format: Format, minimum: Level, descriptor: Int32 = 2) {
    self.format = format
    self.minimum = minimum
    sink = Sink(descriptor: descriptor)
  }

  /// Writes nothing at all.
  public static let silent = Logger(format: .text, minimum: .error, descriptor: -1)

  /// Whether an event of that level is written: ask before costly work for a message.
  public func isEnabled(_ level: Level) -> Bool { level >= minimum && sink.descriptor >= 0 }

  /// Writes an event.
  public func log(
    _ level: Level, _ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:]
  ) {
    guard isEnabled(level) else { return }
    sink.write(Self.line(format, level, message(), requestID, fields, at: SystemClock.unixMilliseconds))
  }

  /// Writes an event of level `debug`.
  public func debug(_ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:]) {
    log(.debug, message(), requestID: requestID, fields)
  }

  /// Writes an event of level `info`.
  public func info(_ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:]) {
    log(.info, message(), requestID: requestID, fields)
  }

  /// Writes an event of level `notice`.
  public func notice(_ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:]) {
    log(.notice, message(), requestID: requestID, fields)
  }

  /// Writes an event of level `warning`.
  public func warning(_ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:])
  {
    log(.warning, message(), requestID: requestID, fields)
  }

  /// Writes an event of level `error`.
  public func error(_ message: @autoclosure () -> String, requestID: String? = nil, _ fields: Fields = [:]) {
    log(.error, message(), requestID: requestID, fields)
  }

  /// A line with its end, for a moment in milliseconds since 1970.
  static func line(
    _ format: Format, _ level: Level, _ message: String, _ requestID: String?, _ fields: Fields,
    at moment: Int64
  ) -> [UInt8] {
    let milliseconds = String(moment % 1000 + 1000).dropFirst()
    let time = "\(CalendarTime(unixSeconds: moment / 1000).text).\(milliseconds)Z"
    var line: [UInt8] = []
    line.reserveCapacity(256)
    switch format {
    case .text:
      line += "\(time) \(level.name): ".utf8
      LogText.append(message, to: &line)
      if let requestID { appendText("requestId", requestID, to: &line) }
      for (name, value) in fields { appendText(name, value, to: &line) }
      line.append(0x0a)
    case .json:
      line += "{\"time\":\"\(time)\",\"level\":\"\(level.name)\",\"message\":".utf8
      LogText.appendQuoted(message, to: &line)
      if let requestID { appendJSON("requestId", requestID, to: &line) }
      for (name, value) in fields { appendJSON(name, value, to: &line) }
      line += "}\n".utf8
    }
    return line
  }

  private static func appendText(_ name: String, _ value: String, to line: inout [UInt8]) {
    line.append(0x20)
    LogText.append(name, to: &line)
    line.append(0x3d)
    LogText.appendQuoted(value, to: &line)
  }

  private static func appendJSON(_ name: String, _ value: String, to line: inout [UInt8]) {
    line.append(0x2c)
    LogText.appendQuoted(name, to: &line)
    line.append(0x3a)
    LogText.appendQuoted(value, to: &line)
  }

  /// Keeps lines of several threads apart.
  private final class Sink: Sendable {
    let descriptor: Int32
    private let turn = Mutex(())

    init(descriptor: Int32) { self.descriptor = descriptor }

    func write(_ line: [UInt8]) {
      turn.withLock { _ in
        // A log that cannot be written must not stop the service.
        _ = writeAll(line.span, to: descriptor)
      }
    }
  }
}

/// Writes all bytes to a descriptor, waiting where it must; the errno of the first failure, else 0.
func writeAll(_ bytes: borrowing Span<UInt8>, to descriptor: Int32) -> Int32 {
  unsafe bytes.withUnsafeBytes { bytes in
    var done = 0
    while done < bytes.count {
      let put = retryingOnInterrupt {
        unsafe write(descriptor, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      guard put > 0 else { return put < 0 ? errno : EIO }
      done += put
    }
    return 0
  }
}
