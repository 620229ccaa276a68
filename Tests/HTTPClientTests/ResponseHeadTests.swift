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
