/// What codings a client takes (RFC 9110 §12.5.3), for a server that has a body as it is and under gzip.
public enum AcceptEncoding {
  /// Whether gzip is what to send: named, or meant by `*`, with a weight above 0 that is not below a weight given to
  /// `identity`. `x-gzip` is gzip (RFC 9110 §8.4.1.3).
  ///
  /// Members whose weight cannot be read count as not sent. A client that takes neither gets the body as it is, as
  /// §12.5.3 advises for one that excludes everything there is.
  public static func prefersGzip(_ request: HTTPRequest) -> Bool {
    let slice = request.slice(of: .acceptEncoding)
    guard !slice.isAbsent else { return false }
    if request.isRepeated(.acceptEncoding) {
      guard let list = request.list(of: .acceptEncoding) else { return false }
      return prefersGzip(list.span, in: 0..<list.count)
    }
    return prefersGzip(request.bytes.span, in: slice.range)
  }

  private static func prefersGzip(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
    var (gzip, identity, any): (Int?, Int?, Int?) = (nil, nil, nil)
    var start = range.lowerBound
    while start < range.upperBound {
      let end = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<range.upperBound) ?? range.upperBound
      let nameEnd = bytes.firstIndex(of: UInt8(ascii: ";"), in: start..<end) ?? end
      let name = bytes.trimmed(start..<nameEnd)
      if let weight = nameEnd == end ? 1000 : weight(bytes, in: bytes.trimmed(nameEnd + 1..<end)) {
        if bytes.matches("gzip", in: name) || bytes.matches("x-gzip", in: name) {
          gzip = gzip ?? weight
        } else if bytes.matches("identity", in: name) {
          identity = identity ?? weight
        } else if bytes.matches("*", in: name) {
          any = any ?? weight
        }
      }
      start = end + 1
    }
    let weight = gzip ?? any ?? 0
    return weight > 0 && weight >= identity ?? 0
  }

  /// Thousandths; nil when it is no weight. RFC 9110 §12.4.2: qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "."
  /// 0*3("0") ] ).
  private static func weight(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
    guard (3...7).contains(range.count), bytes.matches("q=", in: range.lowerBound..<range.lowerBound + 2)
    else { return nil }
    var value = 0
    var unit = 1000
    for index in range.lowerBound + 2..<range.upperBound {
      if index == range.lowerBound + 3 {
        guard bytes[index] == UInt8(ascii: ".") else { return nil }
        continue
      }
      guard bytes[index].isDigit else { return nil }
      value += Int(bytes[index] - UInt8(ascii: "0")) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }
}
