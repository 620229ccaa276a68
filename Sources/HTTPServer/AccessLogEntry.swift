internal import HTTPWire
internal import Platform

/// What a line of the access log tells. Whatever a client sent is escaped.
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

  func appendText(to line: inout [UInt8], at time: [UInt8], _ microseconds: Int64) {
    append(peer, to: &line)
    line += " - - [".utf8
    line += time
    line += "] ".utf8
    if let request {
      var text = Array(request.method.text.utf8)
      text.append(0x20)
      text += request.bytes[request.targetSlice.range]
      text += request.version == .http10 ? " HTTP/1.0".utf8 : " HTTP/1.1".utf8
      LogText.appendQuoted(text.span, to: &line)
    } else {
      line += "\"-\"".utf8
    }
    line.append(0x20)
    append(Int64(status), to: &line)
    line.append(0x20)
    append(Int64(bytes), to: &line)
    line.append(0x20)
    appendField(.referer, to: &line)
    line.append(0x20)
    appendField(.userAgent, to: &line)
    line.append(0x20)
    appendSeconds(microseconds, to: &line)
    line.append(0x20)
    appendID(to: &line)
    line.append(0x0a)
  }

  func appendJSON(to line: inout [UInt8], at time: [UInt8], _ microseconds: Int64) {
    line += "{\"time\":\"".utf8
    line += time
    line += "\",\"remote\":\"".utf8
    append(peer, to: &line)
    line += "\",\"status\":".utf8
    append(Int64(status), to: &line)
    line += ",\"bytes\":".utf8
    append(Int64(bytes), to: &line)
    line += ",\"seconds\":".utf8
    appendSeconds(microseconds, to: &line)
    line += ",\"requestId\":\"".utf8
    appendID(to: &line)
    line.append(0x22)
    if let request {
      line += ",\"method\":".utf8
      LogText.appendQuoted(request.method.text, to: &line)
      line += ",\"target\":".utf8
      LogText.appendQuoted(request.bytes.span.extracting(request.targetSlice.range), to: &line)
      line +=
        request.version == .http10 ? ",\"protocol\":\"HTTP/1.0\"".utf8 : ",\"protocol\":\"HTTP/1.1\"".utf8
      line += ",\"host\":".utf8
      LogText.appendQuoted(request.bytes.span.extracting(request.hostSlice.range), to: &line)
      if request.has(.referer) {
        line += ",\"referer\":".utf8
        appendField(.referer, to: &line)
      }
      if request.has(.userAgent) {
        line += ",\"userAgent\":".utf8
        appendField(.userAgent, to: &line)
      }
    }
    line += "}\n".utf8
  }

  /// A field's value in quotes; `"-"` when it was not sent.
  private func appendField(_ field: KnownField, to line: inout [UInt8]) {
    guard let request, request.has(field) else { return line += "\"-\"".utf8 }
    LogText.appendQuoted(request.bytes.span.extracting(request.slice(of: field).range), to: &line)
  }

  private func appendID(to line: inout [UInt8]) {
    if let request, request.has(.requestID) {
      line += request.id.utf8
    } else {
      IdentifierSource.append(generatedID, to: &line)
    }
  }

  private func append(_ peer: PeerAddress, to line: inout [UInt8]) {
    guard case .ipv4(let bits, _) = peer else { return line += peer.description.utf8 }
    append(Int64(bits >> 24), to: &line)
    for shift: UInt32 in [16, 8, 0] {
      line.append(0x2e)
      append(Int64(bits >> shift & 255), to: &line)
    }
  }

  /// With six places: `0.000213`.
  private func appendSeconds(_ microseconds: Int64, to line: inout [UInt8]) {
    append(microseconds / 1_000_000, to: &line)
    line.append(0x2e)
    append(microseconds % 1_000_000, to: &line, width: 6)
  }

  private func append(_ number: Int64, to line: inout [UInt8], width: Int = 1) {
    var divisor: Int64 = 1
    var digits = 1
    while digits < width || number / divisor >= 10 {
      divisor *= 10
      digits += 1
    }
    while divisor > 0 {
      line.append(0x30 + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}
