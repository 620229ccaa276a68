/// What codings a client takes (RFC 9110 §12.5.3).
///
/// Members whose weight cannot be read count as not sent. A client that takes neither a coding nor `identity` gets the body
/// as it is, as §12.5.3 advises for one that excludes everything there is.
public enum AcceptEncoding {
  /// What an answer says that other clients may get in another coding (RFC 9110 §12.5.5), in whichever it is itself.
  public static let vary = "Accept-Encoding"

  /// Bodies over this many bytes are worth compressing; below, the gain is lost in the packet.
  public static let threshold = 1024

  /// Whether gzip is what to send of a body that is there as it is and under gzip: named, or meant by `*`, with a weight
  /// above 0 that is not below a weight given to `identity`. `x-gzip` is gzip (RFC 9110 §8.4.1.3).
  public static func prefersGzip(_ request: HTTPRequest) -> Bool {
    let weights = weights(of: request)
    return weights.gzip > 0 && weights.gzip >= weights.identity
  }

  /// The coding to send of a body that is there as it is and in `codings`: that with the highest weight, the first of
  /// equals; nil when the body as it is comes before all of them.
  public static func preferred(of codings: [ContentCoding], for request: HTTPRequest) -> ContentCoding? {
    guard !codings.isEmpty else { return nil }
    let weights = weights(of: request)
    var best: (coding: ContentCoding, weight: Int)?
    for coding in codings where weights[coding] > best?.weight ?? 0 { best = (coding, weights[coding]) }
    guard let best, best.weight >= weights.identity else { return nil }
    return best.coding
  }

  /// Whether a body that is there in one coding alone can be sent in it: the client named it, or `*`, with a weight above 0.
  public static func accepts(_ coding: ContentCoding, _ request: HTTPRequest) -> Bool {
    weights(of: request)[coding] > 0
  }

  /// In thousandths; 0 for what was not named, or excluded.
  private struct Weights {
    var (gzip, brotli, identity) = (0, 0, 0)

    subscript(_ coding: ContentCoding) -> Int {
      switch coding {
      case .gzip: gzip
      case .brotli: brotli
      }
    }
  }

  private static func weights(of request: HTTPRequest) -> Weights {
    let slice = request.slice(of: .acceptEncoding)
    guard !slice.isAbsent else { return Weights() }
    if request.isRepeated(.acceptEncoding) {
      guard let list = request.list(of: .acceptEncoding) else { return Weights() }
      return weights(list.span, in: 0..<list.count)
    }
    return weights(request.bytes.span, in: slice.range)
  }

  private static func weights(_ bytes: Span<UInt8>, in range: Range<Int>) -> Weights {
    var (gzip, brotli, identity, any): (Int?, Int?, Int?, Int?) = (nil, nil, nil, nil)
    var start = range.lowerBound
    while start < range.upperBound {
      let end = bytes.firstIndex(of: UInt8(ascii: ","), in: start..<range.upperBound) ?? range.upperBound
      let nameEnd = bytes.firstIndex(of: UInt8(ascii: ";"), in: start..<end) ?? end
      let name = bytes.trimmed(start..<nameEnd)
      if let weight = nameEnd == end ? 1000 : weight(bytes, in: bytes.trimmed(nameEnd + 1..<end)) {
        if bytes.matches("gzip", in: name) || bytes.matches("x-gzip", in: name) {
          gzip = gzip ?? weight
        } else if bytes.matches("br", in: name) {
          brotli = brotli ?? weight
        } else if bytes.matches("identity", in: name) {
          identity = identity ?? weight
        } else if bytes.matches("*", in: name) {
          any = any ?? weight
        }
      }
      start = end + 1
    }
    return Weights(gzip: gzip ?? any ?? 0, brotli: brotli ?? any ?? 0, identity: identity ?? 0)
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
