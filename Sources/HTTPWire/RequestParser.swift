/// Finds one request head after another in bytes as they come from a connection (RFC 9112 §2–3, §5).
///
/// The first call reads the head in one pass. When that finds it incomplete, later calls only search the bytes that
/// are new for its end, so that a client which sends byte after byte costs no more than one that does not.
public struct RequestParser: Sendable {
  /// What the bytes so far are.
  public enum Outcome: Sendable {
    /// The beginning of a head, or nothing.
    case needsMore
    /// A head; `end` is the index of the first byte after it.
    case request(HTTPRequest, end: Int)
    /// Not HTTP, or too much of it. The connection must close after the answer: where the next request would begin
    /// is unknown.
    case refused(HTTPRefusal)
  }

  /// The same where the request stands in a variable already.
  public enum Progress: Sendable {
    /// The beginning of a head, or nothing; the variable then holds nothing of use.
    case needsMore
    /// The head; `end` is the index of the first byte after it.
    case complete(end: Int)
    /// As in `Outcome`.
    case refused(HTTPRefusal)
  }

  /// What a head may weigh.
  public let limits: HTTPLimits
  /// How many bytes from the range's beginning are known to hold no end of a head.
  private var searched = 0
  /// With this many bytes the head is read again even without an end, so that nonsense is refused early.
  private var nextAttempt = 0
  /// How many line ends a search has come by.
  private var lineEnds = 0

  /// Whether nothing of a head was seen yet.
  public var isAtStart: Bool { searched == 0 }

  /// A parser at the beginning of a connection.
  public init(limits: HTTPLimits) {
    self.limits = limits
  }

  /// Looks for a head at `range.lowerBound`. After `.needsMore` call again with the same bytes and more behind them,
  /// at the same or another place in a buffer; after `.request` go on at its `end`.
  public mutating func parse(_ bytes: [UInt8], in range: Range<Int>) -> Outcome {
    var request = HTTPRequest()
    switch parse(bytes, in: range, into: &request) {
    case .needsMore: return .needsMore
    case .complete(let end): return .request(request, end: end)
    case .refused(let refusal): return .refused(refusal)
    }
  }

  /// The same without a copy of the request, which is large: for those who handle one after another.
  public mutating func parse(
    _ bytes: [UInt8], in range: Range<Int>, into request: inout HTTPRequest
  ) -> Progress {
    guard mayBeComplete(bytes.span, range) else {
      searched = range.count
      return .needsMore
    }
    var scan = HeadScan(range, limits)
    request.reset(bytes)
    do throws(HeadScan.Stop) {
      let end = try scan.run(bytes.span, &request)
      reset()
      return .complete(end: end)
    } catch {
      switch error {
      case .needsMore:
        searched = range.count
        nextAttempt = min(max(2 * range.count, 256), limits.headBytes + 1)
        return .needsMore
      case .refused(let refusal):
        reset()
        return .refused(refusal)
      }
    }
  }

  private mutating func reset() { (searched, nextAttempt, lineEnds) = (0, 0, 0) }

  /// Whether reading the head again may find more than the last time: its end, the request line's end, a broken line end
  /// or control character, or simply many more bytes.
  private mutating func mayBeComplete(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return false }
    guard range.count < nextAttempt else { return true }
    let start = range.lowerBound
    for index in start + min(searched, range.count)..<range.upperBound {
      let byte = bytes[index]
      let followsReturn = index > start && bytes[index - 1] == 0x0d
      if byte == 0x0a {
        guard followsReturn else { return true }
        if index - start >= 3, bytes[index - 2] == 0x0a { return true }
        lineEnds += 1
        // The first may be the empty line that is tolerated before the request line.
        if lineEnds <= 2 { return true }
      } else if followsReturn || byte < 0x20 && byte != 0x0d && byte != 0x09 {
        return true
      }
    }
    return false
  }
}
