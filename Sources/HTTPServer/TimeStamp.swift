internal import HTTPWire
internal import Platform

/// The time of day as answers and log lines show it, rendered once a second.
struct TimeStamp {
  /// `Date: …` and the beginning of the line after it, which every answer has.
  private(set) var dateAndIDField: [UInt8] = []
  /// `03/Feb/2026:04:05:06 +0000`
  private(set) var accessLogText: [UInt8] = []
  /// `2026-02-03T04:05:06Z`
  private(set) var text: [UInt8] = []
  /// Milliseconds of the monotonic clock.
  private(set) var validUntil = Int64.min

  mutating func renew(now: Int64) {
    let moment = SystemClock.unixMilliseconds
    validUntil = now + 1000 - moment % 1000
    let time = CalendarTime(unixSeconds: moment / 1000)
    dateAndIDField = Array("Date: \(HTTPDate(seconds: moment / 1000))\r\nX-Request-Id: ".utf8)
    accessLogText = Array(time.accessLogText.utf8)
    text = Array("\(time.text)Z".utf8)
  }
}

/// Numbers that name requests: unpredictable enough that two servers' logs can be put together.
struct IdentifierSource {
  private var state = UInt64.random(in: .min ... .max)

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// Appends a number as 16 hexadecimal digits.
  static func append(_ number: UInt64, to out: inout OutputBuffer) {
    out.append(digits(of: number >> 32))
    out.append(digits(of: number))
  }

  /// The lower half of a number as eight digits, the first one lowest: its nibbles are spread over the bytes, and all
  /// become characters at once.
  private static func digits(of number: UInt64) -> UInt64 {
    var word = (number & 0xffff) << 32 | (number >> 16 & 0xffff)
    word = (word & 0x0000_00ff_0000_00ff) << 16 | (word & 0x0000_ff00_0000_ff00) >> 8
    word = (word & 0x000f_000f_000f_000f) << 8 | (word & 0x00f0_00f0_00f0_00f0) >> 4
    let letters = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return word &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
  }
}

/// How a head ends after the request id, made once.
struct HeadEnds {
  let plain = Array("\r\n\r\n".utf8)
  let closing = Array("\r\nConnection: close\r\n\r\n".utf8)
  /// RFC 9112 §9.3: an HTTP/1.0 client takes a connection for kept only if told so.
  let keepAlive = Array("\r\nConnection: keep-alive\r\n\r\n".utf8)

  /// How the answer to a request ends its head. `isLast`: the connection closes after it.
  func end(of request: HTTPRequest, isLast: Bool) -> [UInt8] {
    isLast ? closing : request.version == .http10 ? keepAlive : plain
  }
}
