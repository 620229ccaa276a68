import HTTPWire
import TestSupport
import Testing

@Suite struct RangeHeaderTests {
  /// Nil is a field to be ignored because it is unreadable.
  private func select(_ value: String, _ size: Int64, limit: Int = 16) -> RangeHeader.Selection? {
    RangeHeader(value, limit: limit)?.selection(size: size)
  }

  @Test(
    arguments: [
      ("bytes=0-0", [0..<1]), ("bytes=0-99", [0..<100]), ("bytes=0-100", [0..<100]),
      ("bytes=99-", [99..<100]),
      ("bytes=10-19", [10..<20]), ("bytes=10-", [10..<100]), ("bytes=-1", [99..<100]),
      ("bytes=-100", [0..<100]),
      ("bytes=-101", [0..<100]), ("Bytes=1-2", [1..<3]), ("bytes=001-002", [1..<3]),
      ("bytes= ,\t1-2 ,", [1..<3]),
      ("bytes=,1-2,, ,", [1..<3]),
      // Order is kept; only what overlaps or touches is joined.
      ("bytes=50-59,0-9", [50..<60, 0..<10]), ("bytes=0-9,11-19", [0..<10, 11..<20]),
      ("bytes=0-9,10-19", [0..<20]),
      ("bytes=10-19,0-9", [0..<20]), ("bytes=0-9,5-14,14-20", [0..<21]), ("bytes=0-9,20-29,10-19", [0..<30]),
      ("bytes=0-9,20-29,40-49,5-25", [0..<30, 40..<50]), ("bytes=40-49,0-9,20-29,5-25", [40..<50, 0..<30]),
      ("bytes=0-0,-1", [0..<1, 99..<100]), ("bytes=0-,0-,0-", [0..<100]), ("bytes=200-,5-6", [5..<7]),
      ("bytes=-0,5-6", [5..<7]),
    ] as [(String, [Range<Int64>])])
  func selectsParts(_ value: String, _ ranges: [Range<Int64>]) {
    #expect(select(value, 100) == .ranges(ranges))
  }

  @Test(arguments: [
    "bytes=100-", "bytes=100-200", "bytes=-0", "bytes=-00", "bytes=200-,300-400", "bytes=-0,100-",
  ])
  func knowsTheUnsatisfiable(_ value: String) {
    #expect(select(value, 100) == .unsatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes= ", "0-1", "bytes 0-1", "bytes:0-1", "items=0-1", "bytes=-",
    "bytes=--1", "bytes=1",
    "bytes=1-0", "bytes=0-1,5-4", "bytes=a-b", "bytes=0x0-1", "bytes=1 -2", "bytes=1- 2", "bytes=+1-2",
    "bytes=1-2;3-4", "bytes=1-2-3",
    "bytes=- 1", "bytes= 1-2", "bytes=\t1-2", "bytes=1-2,x", "bytes=１-2", "bytes=\u{0}", "bytes=1.5-2",
    "bytes=-17208,-9223372036854758792-",
  ])
  func ignoresUnreadableSyntax(_ value: String) {
    #expect(select(value, 100) == nil)
  }

  @Test func isExactAtTheEdgesOfNumbers() {
    let huge = Int64.max
    for edge: Int64 in [1 << 31, 1 << 32, 1 << 53] {
      #expect(select("bytes=\(edge - 1)-\(edge)", huge) == .ranges([edge - 1..<edge + 1]))
      #expect(select("bytes=\(edge)-", edge) == .unsatisfiable)
      #expect(select("bytes=\(edge - 1)-", edge) == .ranges([edge - 1..<edge]))
      #expect(select("bytes=-\(edge)", huge) == .ranges([huge - edge..<huge]))
    }
    #expect(select("bytes=9223372036854775806-", huge) == .ranges([huge - 1..<huge]))
    #expect(select("bytes=0-9223372036854775807", huge) == .ranges([0..<huge]))
    #expect(select("bytes=9223372036854775807-", huge) == .unsatisfiable)
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "1234567890123456789012345678901234567890",
  ])
  func positionsBeyondAllSizesAreUnsatisfiableNotUnreadable(_ number: String) {
    #expect(select("bytes=\(number)-", 100) == .unsatisfiable)
    #expect(select("bytes=\(number)-\(number)", 100) == .unsatisfiable)
    #expect(select("bytes=5-\(number)", 100) == .ranges([5..<100]))
    #expect(select("bytes=-\(number)", 100) == .ranges([0..<100]))
    #expect(select("bytes=\(number)-5", 100) == nil)
    #expect(select("bytes=0\(number)-00\(number)", 100) == .unsatisfiable)
  }

  @Test func comparesPositionsBeyond64BitsAsNumbers() {
    #expect(select("bytes=99999999999999999999999-99999999999999999999998", 100) == nil)
    #expect(select("bytes=99999999999999999999998-99999999999999999999999", 100) == .unsatisfiable)
    #expect(select("bytes=99999999999999999999999-0100000000000000000000000", 100) == .unsatisfiable)
    #expect(select("bytes=100000000000000000000000-99999999999999999999999", 100) == nil)
  }

  @Test func reaches9EBWithoutOverflow() {
    // The pair that overflowed a filter's sum once.
    #expect(select("bytes=-17208,-9223372036854758792", 17208) == .ranges([0..<17208]))
    #expect(select("bytes=-9223372036854775807,-1", Int64.max) == .ranges([0..<Int64.max]))
  }

  @Test func selectsNothingOfNothing() {
    #expect(select("bytes=0-", 0) == .unsatisfiable)
    #expect(select("bytes=0-0", 0) == .unsatisfiable)
    // RFC 9110 §14.1.1: a suffix of non-zero length is always satisfiable.
    #expect(select("bytes=-1", 0) == .whole)
    #expect(select("bytes=-0", 0) == .unsatisfiable)
  }

  @Test(arguments: [(1, true), (20, true), (64, true), (65, false)])
  func givesAsManyPartsAsToolsForUpdatesAskForAtOnce(count: Int, areGiven: Bool) {
    let list = (0..<count).map { "\($0 * 9)-\($0 * 9)" }.joined(separator: ",")
    let selection = RangeHeader("bytes=\(list)")?.selection(size: 1000)
    #expect((selection != .whole) == areGiven)
  }

  @Test func answersTooManyRangesWithTheWhole() {
    let sixteen = (0..<16).map { "\($0 * 4)-\($0 * 4)" }.joined(separator: ",")
    guard case .ranges(let ranges) = select("bytes=\(sixteen)", 100) else {
      return #expect(Bool(false), "16 are fine")
    }
    #expect(ranges.count == 16)
    #expect(select("bytes=\(sixteen),98-98", 100) == .whole)
    #expect(select("bytes=\(sixteen),x", 100) == nil)
    #expect(select("bytes=0-0,2-2", 100, limit: 1) == .whole)
    let thousand = (0..<1000).map { "\($0)-\($0)" }.joined(separator: ",")
    #expect(select("bytes=\(thousand)", 10000) == .whole)
  }

  @Test func standsInARequest() throws {
    #expect(try request("GET", "/", ["Range": "bytes=0-4"]).rangeSelection(size: 10) == .ranges([0..<5]))
    #expect(try request("GET", "/").rangeSelection(size: 10) == .whole)
    #expect(try request("GET", "/", ["Range": "bytes=x"]).rangeSelection(size: 10) == .whole)
    #expect(try request("GET", "/", ["Range": "bytes=10-"]).rangeSelection(size: 10) == .unsatisfiable)
    let twice = try request("GET", "/", ["Range": "bytes=0-4", "range": "bytes=0-4"])
    #expect(twice.rangeSelection(size: 10) == .whole)
  }

  @Test(
    arguments: [
      "bytes=0-4": 0..<5, "BYTES=0-4": 0..<5, "bytes=0-": 0..<10, "bytes=9-9": 9..<10, "bytes=3-10": 3..<10,
      "bytes=3-999999999999999999": 3..<10, "bytes=000000000000000003-5": 3..<6,
      "bytes=0000000000000000003-5": nil, "bytes=3-9223372036854775808": nil, "bytes=10-": nil,
      "bytes=-5": nil,
      "bytes=5-4": nil, "bytes=1-2,4-5": nil, "bytes=1-2,": nil, "bytes=1 -2": nil, "bytes= 1-2": nil,
      "bytes=": nil, "bytes=1": nil, "bytes=12": nil, "bytes=123456789012345678": nil, "bytes=-": nil,
      "bytes=1-x": nil, "bytes=x-1": nil, "bytes=1--": nil, "bytes-1-2": nil, "bytes\u{1d}1-2": nil,
      "items=1-2": nil,
    ] as [String: Range<Int64>?])
  func oneRangeWithABeginningIsToldWithoutAList(_ value: String, _ range: Range<Int64>?) throws {
    guard let request = try? request("GET", "/", ["Range": value]) else { return }
    #expect(request.singleRange(size: 10) == range)
    if let range { #expect(request.rangeSelection(size: 10) == .ranges([range])) }
    #expect(
      try TestSupport.request("GET", "/", ["Range": value, "range": value]).singleRange(size: 10) == nil)
  }

  /// The cases of Go's net/http ParseRange, with what RFC 9110 says where Go is laxer (white space inside a range) or
  /// does not join.
  @Test(
    arguments: [
      ("", 0, nil), ("", 1000, nil), ("foo", 0, nil), ("bytes=", 0, nil), ("bytes=7", 10, nil),
      ("bytes= 7 ", 10, nil),
      ("bytes=1-", 0, []), ("bytes=5-4", 10, nil), ("bytes=0-2,5-4", 10, nil), ("bytes=2-5,4-3", 10, nil),
      ("bytes=--5,4--3", 10, nil), ("bytes=A-", 10, nil), ("bytes=A- ", 10, nil), ("bytes=A-Z", 10, nil),
      ("bytes= -Z", 10, nil), ("bytes=5-Z", 10, nil), ("bytes=Ran-dom, garbage", 10, nil),
      ("bytes=0x01-0x02", 10, nil),
      ("bytes=         ", 10, nil), ("bytes= , , ,   ", 10, nil), ("bytes=0-9", 10, [0..<10]),
      ("bytes=0-", 10, [0..<10]),
      ("bytes=5-", 10, [5..<10]), ("bytes=0-20", 10, [0..<10]), ("bytes=15-,0-5", 10, [0..<6]),
      ("bytes=1-2,5-", 10, [1..<3, 5..<10]), ("bytes=-2 , 7-", 11, [7..<11]),
      ("bytes=0-0 ,2-2, 7-", 11, [0..<1, 2..<3, 7..<11]), ("bytes=-5", 10, [5..<10]),
      ("bytes=-15", 10, [0..<10]),
      ("bytes=0-499", 10000, [0..<500]), ("bytes=500-999", 10000, [500..<1000]),
      ("bytes=-500", 10000, [9500..<10000]),
      ("bytes=9500-", 10000, [9500..<10000]), ("bytes=0-0,-1", 10000, [0..<1, 9999..<10000]),
      ("bytes=500-600,601-999", 10000, [500..<1000]), ("bytes=500-700,601-999", 10000, [500..<1000]),
      ("bytes=   1 -2   ,  4- 5, 7 - 8 , ,,", 11, nil),
    ] as [(String, Int64, [Range<Int64>]?)])
  func agreesWithGoOnReading(_ value: String, _ size: Int64, _ ranges: [Range<Int64>]?) {
    #expect(select(value, size) == ranges.map { $0.isEmpty ? .unsatisfiable : .ranges($0) })
  }

  /// The cases of Go's ServeFile over a file of 11 bytes; overlapping ranges are joined here, not refused.
  @Test(
    arguments: [
      ("bytes=0-4", [0..<5]), ("bytes=2-", [2..<11]), ("bytes=-5", [6..<11]), ("bytes=3-7", [3..<8]),
      ("bytes=0-0,-2", [0..<1, 9..<11]), ("bytes=0-1,5-8", [0..<2, 5..<9]),
      ("bytes=0-1,5-", [0..<2, 5..<11]),
      ("bytes=5-1000", [5..<11]), ("bytes=0-,1-,2-,3-,4-", [0..<11]), ("bytes=0-9", [0..<10]),
      ("bytes=0-10", [0..<11]),
      ("bytes=0-11", [0..<11]), ("bytes=10-11", [10..<11]), ("bytes=10-", [10..<11]), ("bytes=11-", []),
      ("bytes=11-12", []),
      ("bytes=12-12", []), ("bytes=11-100", []), ("bytes=12-100", []), ("bytes=100-", []),
      ("bytes=100-1000", []),
    ] as [(String, [Range<Int64>])])
  func agreesWithGoOnServing(_ value: String, _ ranges: [Range<Int64>]) throws {
    // Go's first case is an empty field, which is as good as none.
    #expect(try request("GET", "/", ["Range": ""]).rangeSelection(size: 11) == .whole)
    #expect(select(value, 11) == (ranges.isEmpty ? .unsatisfiable : .ranges(ranges)))
  }
}
