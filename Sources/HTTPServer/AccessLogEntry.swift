internal import HTTPWire
internal import Platform

/// What a line of the access log tells. Whatever a client sent is escaped.
///
/// A line begins with the time and the address and has the seconds and the request id in it; all between and behind is
/// the same for the same request and answer, and may be kept (`AccessLogPieces`).
struct AccessLogEntry {
  /// Nil when the bytes were no request.
  private let request: HTTPRequest?
  private let generatedID: UInt64
  private let peer: PeerAddress
  private let status: Int
  /// Of the body.
  private let bytes: Int

  init(_ request: HTTPRequest, status: Int, bytes: Int) {
    self.request = request
    generatedID = request.generatedID
    peer = request.peer
    self.status = status
    self.bytes = bytes
  }

  /// Of something that never became a request.
  init(_ generatedID: UInt64, peer: PeerAddress, status: Int, bytes: Int) {
    request = nil
    self.generatedID = generatedID
    self.peer = peer
    self.status = status
    self.bytes = bytes
  }

  /// Appends the whole line.
  func append(
    to line: inout OutputBuffer, as format: AccessLog.Format, at stamp: borrowing TimeStamp,
    _ microseconds: Int64
  ) {
    Self.appendStart(to: &line, as: format, at: stamp, peer)
    appendMiddle(to: &line, as: format)
    line.append(seconds: microseconds)
    Self.appendMark(to: &line, as: format)
    if let request, request.has(.requestID) {
      line.append(Array(request.id.utf8))
    } else {
      IdentifierSource.append(generatedID, to: &line)
    }
    appendEnd(to: &line, as: format)
  }

  /// The time, and who asked.
  static func appendStart(
    to line: inout OutputBuffer, as format: AccessLog.Format, at stamp: borrowing TimeStamp,
    _ peer: PeerAddress
  ) {
    switch format {
    case .text:
      append(peer, to: &line)
      line.append(" - - [")
      line.append(stamp.accessLogText)
    case .json:
      line.append("{\"time\":\"")
      line.append(stamp.text)
      line.append("\",\"remote\":\"")
      append(peer, to: &line)
    }
  }

  /// What stands between the seconds and the request id.
  static func appendMark(to line: inout OutputBuffer, as format: AccessLog.Format) {
    switch format {
    case .text: line.append(byte: 0x20)
    case .json: line.append(",\"requestId\":\"")
    }
  }

  /// What stands between the start and the seconds.
  func appendMiddle(to line: inout OutputBuffer, as format: AccessLog.Format) {
    switch format {
    case .text:
      line.append("] \"")
      if let request {
        line.append(Array(request.method.text.utf8))
        line.append(byte: 0x20)
        line.append(escaped: request.bytes.span.extracting(request.targetSlice.range))
        line.append(request.version == .http10 ? " HTTP/1.0" : " HTTP/1.1")
      } else {
        line.append(byte: 0x2d)
      }
      line.append("\" ")
      line.append(decimal: UInt64(status))
      line.append(byte: 0x20)
      line.append(decimal: UInt64(bytes))
      line.append(" \"")
      appendField(.referer, to: &line)
      line.append("\" \"")
      appendField(.userAgent, to: &line)
      line.append("\" ")
    case .json:
      line.append("\",\"status\":")
      line.append(decimal: UInt64(status))
      line.append(",\"bytes\":")
      line.append(decimal: UInt64(bytes))
      line.append(",\"seconds\":")
    }
  }

  /// What stands behind the request id, the line's end included.
  func appendEnd(to line: inout OutputBuffer, as format: AccessLog.Format) {
    guard format == .json else { return line.append(byte: 0x0a) }
    guard let request else { return line.append("\"}\n") }
    line.append("\",\"method\":\"")
    line.append(Array(request.method.text.utf8))
    line.append("\",\"target\":\"")
    line.append(escaped: request.bytes.span.extracting(request.targetSlice.range))
    line.append(
      request.version == .http10
        ? "\",\"protocol\":\"HTTP/1.0\",\"host\":\"" : "\",\"protocol\":\"HTTP/1.1\",\"host\":\"")
    line.append(escaped: request.bytes.span.extracting(request.hostSlice.range))
    if request.has(.referer) {
      line.append("\",\"referer\":\"")
      appendField(.referer, to: &line)
    }
    if request.has(.userAgent) {
      line.append("\",\"userAgent\":\"")
      appendField(.userAgent, to: &line)
    }
    line.append("\"}\n")
  }

  /// A field's value; `-` when it was not sent.
  private func appendField(_ field: KnownField, to line: inout OutputBuffer) {
    guard let request, request.has(field) else { return line.append(byte: 0x2d) }
    line.append(escaped: request.bytes.span.extracting(request.slice(of: field).range))
  }

  private static func append(_ peer: PeerAddress, to line: inout OutputBuffer) {
    guard case .ipv4(let bits, _) = peer else { return line.append(Array(peer.description.utf8)) }
    line.append(decimal: UInt64(bits >> 24))
    for shift: UInt32 in [16, 8, 0] {
      line.append(byte: 0x2e)
      line.append(decimal: UInt64(bits >> shift & 255))
    }
  }
}

/// The parts of a line that are the same each time a request comes again.
struct AccessLogPieces {
  let middle: [UInt8]
  let end: [UInt8]

  init(_ entry: AccessLogEntry, as format: AccessLog.Format) {
    var line = OutputBuffer(capacity: 512)
    entry.appendMiddle(to: &line, as: format)
    middle = line.copy(from: 0)
    line.removeAll()
    entry.appendEnd(to: &line, as: format)
    end = line.copy(from: 0)
  }
}
