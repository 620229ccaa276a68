import FuzzInput
import HTTPWire

/// Input: a chunked body, and what follows it on the connection.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunked(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(start, count)
  let outcomes = input.cuttings.map { Outcome(input.bytes, $0) }
  for outcome in outcomes { hold(outcome == outcomes[0], "any cut gives the same content, end and verdict") }
  if outcomes[0].isFinished { checkSlowly(outcomes[0], input.bytes) }
  checkRoundTrip(input)
  return 0
}

private struct Outcome: Equatable {
  var content: [UInt8] = []
  var consumed = 0
  var isFinished = false
  var refusal: HTTPRefusal?

  init(_ bytes: [UInt8], _ pieces: [Range<Int>]) {
    var body = ChunkedBody()
    for piece in pieces {
      let input = Array(bytes[piece])
      do throws(HTTPRefusal) {
        let taken = try body.decode(input.span, into: &content)
        hold(taken <= piece.count, "takes no more than there is")
        hold(taken == piece.count || body.isFinished, "takes all until the end")
        consumed += taken
      } catch {
        // How much of the piece with the fault was taken is nobody's business: the connection closes.
        (refusal, consumed) = (error, 0)
        hold(error.status == .badRequest, "a broken chunk is a 400")
        return
      }
      hold(content.count <= consumed, "content is never more than its coding")
      if body.isFinished { break }
    }
    isFinished = body.isFinished
    guard isFinished else { return }
    var more: [UInt8] = []
    hold((try? body.decode(bytes.span, into: &more)) == 0 && more.isEmpty, "takes nothing behind its end")
  }
}

/// Reads a body that was taken as whole once more, the slow way: line by line.
private func checkSlowly(_ outcome: Outcome, _ bytes: [UInt8]) {
  var content: [UInt8] = []
  var rest = bytes[..<outcome.consumed]
  while true {
    guard let line = takeLine(&rest) else { return hold(false, "each size stands on a line") }
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    guard let size = UInt64(String(decoding: digits, as: UTF8.self), radix: 16), size <= UInt64(rest.count)
    else {
      return hold(false, "each size is a number, and that much follows")
    }
    hold(line.allSatisfy(isText), "no control character stands in an extension")
    guard size > 0 else { break }
    content += rest.prefix(Int(size))
    rest = rest.dropFirst(Int(size))
    hold(rest.starts(with: [0x0d, 0x0a]), "each chunk ends with CR LF")
    rest = rest.dropFirst(2)
  }
  hold(content == outcome.content, "the content is what the sizes say")
  while let line = takeLine(&rest), !line.isEmpty {
    hold(line.contains(UInt8(ascii: ":")) && line.allSatisfy(isText), "each trailer has a name and a value")
  }
  hold(rest.isEmpty, "the body ends behind its empty line")
}

private func takeLine(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
  guard let end = bytes.firstIndex(of: 0x0d), bytes[end...].starts(with: [0x0d, 0x0a]) else { return nil }
  defer { bytes = bytes[(end + 2)...] }
  return bytes[..<end]
}

private func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f || byte == 0x09 }

/// Any content, in chunks of any size, comes back.
private func checkRoundTrip(_ input: FuzzInput) {
  var random = input.random
  var coded: [UInt8] = []
  var start = 0
  while start < input.bytes.count {
    let end = min(start + 1 + random.next(below: 40), input.bytes.count)
    let ends = ["", ";a", " ; a = b", ";a=\"\\\"; \\\\\""]
    coded += "\(String(end - start, radix: 16))\(ends[random.next(below: ends.count)])\r\n".utf8
    coded += input.bytes[start..<end]
    coded += [0x0d, 0x0a]
    start = end
  }
  coded += (random.next(below: 2) == 0 ? "0\r\n\r\n" : "00\r\nX: 1\r\n\r\n").utf8
  var body = ChunkedBody()
  var content: [UInt8] = []
  hold((try? body.decode(coded.span, into: &content)) == coded.count, "what is coded well is read whole")
  hold(body.isFinished && content == input.bytes, "what is coded well comes back")
}
