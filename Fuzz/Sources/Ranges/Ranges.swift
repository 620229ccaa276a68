import FuzzInput
import HTTPWire

/// Input: a size in decimal, a space, the value of a Range field: `100 bytes=0-9,-5`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRange(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let words = FuzzInput(start, count).bytes.split(
    separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
  guard words.count == 2, let size = Int64(String(decoding: words[0], as: UTF8.self)), size >= 0 else {
    return -1
  }
  let value = String(decoding: words[1], as: UTF8.self)
  let model = RangeModel(value)
  let header = RangeHeader(value, limit: RangeModel.limit)
  hold((header != nil) == (model != nil), "readable is what the grammar has")
  guard let header, let model else { return 0 }
  let selection = header.selection(size: size)
  hold(selection == header.selection(size: size), "the same question has the same answer")
  check(selection, size, model)
  checkInRequest(value, size)
  return 0
}

private func check(_ selection: RangeHeader.Selection, _ size: Int64, _ model: RangeModel) {
  let wanted = model.specs.compactMap { $0.resolved(size: size) }
  guard model.specs.count <= RangeModel.limit else {
    return hold(selection == .whole, "too many are as good as none")
  }
  switch selection {
  case .whole: hold(size == 0 && !wanted.isEmpty, "everything only for a suffix of nothing")
  case .unsatisfiable: hold(wanted.isEmpty, "unsatisfiable when none is within")
  case .ranges(let ranges):
    hold(!ranges.isEmpty && ranges.count <= wanted.count, "no more than was asked for")
    for (index, range) in ranges.enumerated() {
      hold(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "each lies within the size")
      for other in ranges[(index + 1)...] {
        hold(
          range.upperBound < other.lowerBound || other.upperBound < range.lowerBound, "a gap parts any two")
      }
      // Only what overlaps or touches was joined: walking through the range, there is always one that goes on.
      var reached = range.lowerBound
      while let next = wanted.filter({ $0.lowerBound <= reached && $0.upperBound > reached }).max(by: {
        $0.upperBound < $1.upperBound
      }) {
        reached = next.upperBound
      }
      hold(reached == range.upperBound, "no byte comes that nobody asked for")
    }
    let places = wanted.compactMap { one in
      ranges.firstIndex { $0.lowerBound <= one.lowerBound && one.upperBound <= $0.upperBound }
    }
    hold(places.count == wanted.count, "each that was asked for is in one")
    var seen: [Int] = []
    for place in places where !seen.contains(place) { seen.append(place) }
    hold(seen == Array(ranges.indices), "they come in the order asked for")
  }
}

/// A value that a field can hold means the same in a request.
private func checkInRequest(_ value: String, _ size: Int64) {
  let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nRange: \(value)\r\n\r\n".utf8)
  var parser = RequestParser(limits: .standard)
  guard case .request(let request, end: bytes.count) = parser.parse(bytes, in: 0..<bytes.count) else {
    return
  }
  guard request.values(of: "range") == [value] else { return }
  hold(
    request.rangeSelection(size: size) == RangeHeader(value)?.selection(size: size) ?? .whole,
    "in a request it is the same")
}
