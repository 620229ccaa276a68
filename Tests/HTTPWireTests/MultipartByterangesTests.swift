import HTTPWire
import Testing

@Suite struct MultipartByterangesTests {
  private func text(_ body: ResponseBody) -> String {
    switch body {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .file(_, let offset, let count): "<\(count) at \(offset)>"
    case .segments(let segments): segments.map(text).joined()
    }
  }

  @Test func framesEachPart() {
    let content = Array("0123456789".utf8)
    let multipart = MultipartByteranges(
      ranges: [0..<2, 7..<10], size: 10, contentType: "application/zip", boundary: "b"
    ) { .bytes(Array(content[Int($0.lowerBound)..<Int($0.upperBound)])) }
    #expect(multipart.contentType == "multipart/byteranges; boundary=b")
    let expected =
      "\r\n--b\r\nContent-Type: application/zip\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
      + "\r\n--b\r\nContent-Type: application/zip\r\nContent-Range: bytes 7-9/10\r\n\r\n789\r\n--b--\r\n"
    #expect(text(multipart.body) == expected)
    #expect(multipart.body.count == Int64(expected.utf8.count))
  }

  @Test func countsPartsBeyond32Bits() {
    final class NoFile: BodyFile { let number: Int32 = -1 }
    let size: Int64 = 1 << 40
    let multipart = MultipartByteranges(
      ranges: [0..<size / 2, size / 2 + 1..<size], size: size, contentType: "a/b", boundary: "b"
    ) { .file(NoFile(), offset: $0.lowerBound, count: Int64($0.count)) }
    guard case .segments(let segments) = multipart.body else { return #expect(Bool(false), "segments") }
    #expect(segments.count == 5)
    #expect(multipart.body.count > size - 1 && multipart.body.count < size + 300)
  }

  @Test func makesBoundariesThatDiffer() {
    let boundaries = Set((0..<100).map { _ in MultipartByteranges.makeBoundary() })
    #expect(boundaries.count == 100)
    #expect(boundaries.allSatisfy { $0.utf8.count == 32 })
  }

  @Test func writesContentRanges() {
    #expect(MultipartByteranges.contentRange(0..<1, size: Int64.max) == "bytes 0-0/9223372036854775807")
    #expect(MultipartByteranges.unsatisfiedContentRange(size: 10) == "bytes */10")
  }
}
