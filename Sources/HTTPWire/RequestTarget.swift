/// The forms a request target may have (RFC 9112 §3.2).
extension HTTPRequest {
  /// Notes an origin-form target: `/path?query`.
  @inline(__always)
  mutating func place(target: Range<Int>, pathEnd: Int) {
    targetSlice = Slice(start: target.lowerBound, count: target.count)
    pathSlice = Slice(start: target.lowerBound, count: pathEnd - target.lowerBound)
    if pathEnd < target.upperBound {
      querySlice = Slice(start: pathEnd + 1, count: target.upperBound - pathEnd - 1)
    }
  }

  /// Notes the three other forms; false when it is none of them.
  mutating func placeUnusual(target: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    if method.isConnect {
      // §3.2.3: only the host and port of the destination.
      guard Authority.isValid(bytes, in: target, needsPort: true) else { return false }
      targetSlice = Slice(start: target.lowerBound, count: target.count)
      return true
    }
    if target.count == 1, bytes[target.lowerBound] == UInt8(ascii: "*") {
      // §3.2.4: only for a server-wide OPTIONS.
      guard method == .options else { return false }
      place(target: target, pathEnd: target.upperBound)
      return true
    }
    return placeAbsolute(target: target, bytes)
  }

  /// §3.2.2: `http://host:port/path?query`, whose authority overrides the Host field.
  private mutating func placeAbsolute(target: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
    let start = target.lowerBound
    let afterScheme: Int
    if target.count > 7, bytes.matches("http://", in: start..<start + 7) {
      afterScheme = start + 7
    } else if target.count > 8, bytes.matches("https://", in: start..<start + 8) {
      afterScheme = start + 8
    } else {
      return false
    }
    var hostEnd = afterScheme
    while hostEnd < target.upperBound, bytes[hostEnd] != UInt8(ascii: "/"),
      bytes[hostEnd] != UInt8(ascii: "?")
    {
      hostEnd += 1
    }
    guard Authority.isValid(bytes, in: afterScheme..<hostEnd) else { return false }
    hostSlice = Slice(start: afterScheme, count: hostEnd - afterScheme)
    let rest = hostEnd..<target.upperBound
    let mark = bytes.firstIndex(of: UInt8(ascii: "?"), in: rest)
    place(target: rest, pathEnd: mark ?? rest.upperBound)
    // RFC 9110 §4.2.3: an empty path is `/`; the scheme's last slash lends itself.
    if pathSlice.count == 0 { pathSlice = Slice(start: afterScheme - 1, count: 1) }
    if rest.isEmpty { targetSlice = pathSlice }
    return true
  }

  /// Notes where a known field's value stands; false when an earlier line already had that name.
  @inline(__always)
  mutating func note(_ field: KnownField, at value: Range<Int>) -> Bool {
    let bit: UInt32 = 1 << UInt32(field.rawValue)
    guard present & bit == 0 else {
      repeated |= bit
      return false
    }
    present |= bit
    known[field.rawValue] = Slice(start: value.lowerBound, count: value.count)
    return true
  }
}

extension HTTPMethod {
  /// Reads a token; the methods in use cost no `String`.
  @inline(__always)
  init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    var word: UInt64 = 0
    if range.count <= 8 { for index in range { word = word << 8 | UInt64(bytes[index]) } }
    switch word {
    case 0x474554: self = .get
    case 0x4845_4144: self = .head
    case 0x504f_5354: self = .post
    case 0x505554: self = .put
    case 0x50_4154_4348: self = .patch
    case 0x4445_4c45_5445: self = .delete
    case 0x4f_5054_494f_4e53: self = .options
    default:
      var text: [UInt8] = []
      for index in range { text.append(bytes[index]) }
      self = .other(String(decoding: text, as: UTF8.self))
    }
  }

  /// CONNECT, whose target has a form of its own.
  var isConnect: Bool { if case .other("CONNECT") = self { true } else { false } }
}
