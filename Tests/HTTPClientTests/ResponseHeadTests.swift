import Testing

@testable import HTTPClient

@Suite struct ResponseHeadTests {
  private func collect(_ text: String) -> HeadCollector {
    var collector = HeadCollector()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      _ = collector.take(Array("\(line)\r\n".utf8))
    }
    return collector
  }

  @Test func readsTheFinalHeadAfterInterimOnes() {
    let head = collect(
      "HTTP/1.1 100 Continue\nX: 1\n\nHTTP/1.1 103 Early\nLink: x\n\nHTTP/1.1 200 OK\nA:  b \nA: c\n\n"
    ).head
    #expect(head?.status == 200)
    #expect(head?["a"] == "b")
    #expect(head?.fields.count == 2)
    #expect(head?["link"] == nil)
  }

  @Test func isNoHeadWithoutItsBlankLine() {
    #expect(collect("HTTP/1.1 200 OK\nA: b\n").head == nil)
    #expect(collect("HTTP/1.1 100 Continue\n\n").head == nil)
  }

  @Test func ignoresTrailersAndJoinsFoldedLines() {
    let head = collect("HTTP/2 206\nA: b\n  c\nnonsense\n\nA: trailer\n\n").head
    #expect(head?.status == 206)
    #expect(head?["A"] == "b c")
    #expect(head?.fields.count == 1)
  }

  /// What is wrong with a head whose lines are given with their ends.
  private func fault(_ lines: String...) -> String? {
    var collector = HeadCollector()
    for line in ["HTTP/1.1 200 OK\r\n"] + lines + ["\r\n"] {
      if case .malformed(let what) = collector.take(Array(line.utf8)) { return what }
    }
    return nil
  }

  @Test func refusesWhatOthersMayReadInAnotherWay() {
    #expect(fault("A: b\rContent-Length: 4\r\n") == "a CR within a line")
    #expect(fault("A: b\r\r\n") == "a CR within a line")
    #expect(fault("A: b\u{0}\r\n") == "a NUL in a line")
    #expect(
      fault("Transfer-Encoding: chunked\r\n", " abc\r\n") == "Transfer-Encoding goes on in another line")
    #expect(fault("content-length: 4\r\n", "\t2\r\n") == "content-length goes on in another line")
    #expect(fault("Content-Length: 4\r\n", "Content-Length: 5\r\n") == "Content-Length: 4, 5")
    #expect(fault("Content-Length: 4, 4\r\n") == "Content-Length: 4, 4")
    #expect(fault("Content-Length: -4\r\n") == "Content-Length: -4")
    #expect(fault("Content-Length: 99999999999999999999\r\n") == "Content-Length: 99999999999999999999")
  }

  /// RFC 9112 §2.2 lets a recipient take a bare LF for the end of a line.
  @Test func takesWhatCanBeReadInOneWayOnly() {
    #expect(fault("Content-Length: 4\n", "A: b\n") == nil)
    #expect(fault("Content-Length: 4\r\n", "Content-Length: 4\r\n") == nil)
    #expect(fault("A: b\r\n", "  folded\r\n") == nil)
  }

  /// The loop of all transfers waits for it: copying all fields for each line is slow enough here to be missed by nobody.
  @Test(.timeLimit(.minutes(1))) func readsManyShortLinesAtOnce() {
    var collector = HeadCollector()
    _ = collector.take(Array("HTTP/1.1 200 OK\r\n".utf8))
    for _ in 0..<50_000 { _ = collector.take(Array("a:\r\n".utf8)) }
    _ = collector.take(Array("\r\n".utf8))
    #expect(collector.head?.fields.count == 50_000)
  }

  @Test func endsAHeadWithoutEnd() {
    var collector = HeadCollector()
    _ = collector.take(Array("HTTP/1.1 200 OK\r\n".utf8))
    let line = Array("X: \(String(repeating: "x", count: 60_000))\r\n".utf8)
    var isTooLarge = false
    for _ in 0..<5 { if case .tooLarge = collector.take(line) { isTooLarge = true } }
    #expect(isTooLarge)
  }

  @Test(arguments: [
    ("bytes 0-9/10", 0, 9, 10), ("bytes 5-5/*", 5, 5, nil), ("Bytes 1-2/3", 1, 2, 3),
  ])
  func readsContentRange(text: String, first: Int64, last: Int64, total: Int64?) {
    let range = ContentRange(text)
    #expect(range?.range == first...last)
    #expect(range?.total == total)
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes -9/10", "bytes 0-/10", "bytes */*",
    "items 0-9/10",
    "bytes +0-9/10", "bytes 0-9/99999999999999999999", "bytes 0-9/10/11", "bytes a-b/c",
  ])
  func refusesOtherContentRanges(text: String) {
    #expect(ContentRange(text) == nil)
  }

  @Test func readsTheLengthOfAnUnsatisfiableRange() {
    let range = ContentRange("bytes */47")
    #expect(range?.range == nil)
    #expect(range?.total == 47)
  }

  @Test func takesNoContentRangeGivenTwice() {
    let head = collect("HTTP/1.1 206 P\nContent-Range: bytes 0-1/2\nContent-Range: bytes 0-1/3\n\n").head
    #expect(head?.contentRange == nil)
  }

  @Test(arguments: [
    ("12", 12), ("-1", nil), ("+1", nil), ("", nil), ("1,1", nil), ("9223372036854775808", nil),
  ])
  func readsContentLengthStrictly(text: String, length: Int64?) {
    #expect(
      ResponseHead(status: 200, fields: [.init(name: "content-length", value: text)]).contentLength == length)
  }
}
