import HTTPWire
import TestSupport
import Testing

@Suite struct RepresentationTests {
  /// Never opened: only what would be sent of it is looked at.
  private final class NoFile: BodyFile {
    let number: Int32 = -1
  }

  private static let date: Int64 = 1_403_716_338
  private static let file = ResponseBody.file(NoFile(), offset: 100, count: 10)

  private func answer(
    _ fields: KeyValuePairs<String, String> = [:], method: String = "GET", body: ResponseBody = Self.file,
    coding: ContentCoding? = nil
  ) throws -> HTTPResponse {
    let representation = Representation(
      body, type: "audio/ogg", coding: coding, etag: EntityTag("a"), lastModified: Self.date,
      fields: ["Cache-Control": "no-cache"])
    return representation.response(to: try request(method, "/", fields))
  }

  private func places(_ body: ResponseBody) -> [Range<Int64>] {
    switch body {
    case .bytes: []
    case .file(_, let offset, let count): [offset..<offset + count]
    case .segments(let segments): segments.flatMap(places)
    }
  }

  @Test func sendsTheWholeWithItsValidators() throws {
    let whole = try answer()
    #expect(whole.status == .ok)
    #expect(places(whole.body) == [100..<110])
    #expect(
      whole.fields == [
        "Cache-Control": "no-cache", "ETag": "\"a\"", "Last-Modified": "Wed, 25 Jun 2014 17:12:18 GMT",
        "Accept-Ranges": "bytes", "Content-Type": "audio/ogg", "Content-Length": "10",
      ])
  }

  @Test(
    arguments: [
      ("bytes=0-1", 100..<102, "bytes 0-1/10"), ("bytes=4-", 104..<110, "bytes 4-9/10"),
      ("bytes=-3", 107..<110, "bytes 7-9/10"), ("bytes=8-99", 108..<110, "bytes 8-9/10"),
    ] as [(String, Range<Int64>, String)])
  func sendsOnePart(_ range: String, _ place: Range<Int64>, _ told: String) throws {
    let part = try answer(["Range": range])
    #expect(part.status == .partialContent)
    #expect(places(part.body) == [place])
    #expect(part.fields["Content-Range"] == told)
    #expect(part.fields["Content-Type"] == "audio/ogg")
  }

  @Test func sendsSeveralPartsInOneBody() throws {
    let parts = try answer(["Range": "bytes=0-0,5-6"], coding: .gzip)
    #expect(places(parts.body) == [100..<101, 105..<107])
    #expect(parts.fields["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
    #expect(parts.fields["Content-Encoding"] == "gzip", "the parts are of the coded bytes")
  }

  @Test func tellsTheSizeWhenNoPartOfItIsMeant() throws {
    let refusal = try answer(["Range": "bytes=10-"])
    #expect(refusal.status == .rangeNotSatisfiable)
    #expect(refusal.fields["Content-Range"] == "bytes */10")
  }

  @Test func sendsNoPartsToHeadAndNoneOfBytesInMemory() throws {
    #expect(try answer(["Range": "bytes=0-1"], method: "HEAD").status == .ok)
    let bytes = try answer(["Range": "bytes=0-1"], body: .bytes([1, 2, 3]), coding: .gzip)
    #expect(bytes.status == .ok)
    #expect(bytes.fields["Accept-Ranges"] == nil)
    #expect(bytes.fields["Content-Encoding"] == "gzip")
    #expect(bytes.fields["Content-Length"] == "3")
  }

  @Test(arguments: [
    ("If-None-Match", "\"a\"", 304), ("If-None-Match", "\"b\"", 200), ("If-Match", "\"b\"", 412),
    ("If-Modified-Since", "Wed, 25 Jun 2014 17:12:18 GMT", 304),
  ])
  func judgesConditions(_ field: String, _ value: String, _ status: Int) throws {
    let answer = try answer([field: value], coding: .brotli)
    #expect(answer.status.code == status)
    #expect(answer.fields["ETag"] == "\"a\"")
    #expect(answer.fields["Cache-Control"] == "no-cache")
    #expect((answer.fields["Content-Encoding"] == nil) == (status != 200))
  }

  @Test func sendsAPartOnlyOfWhatIfRangeNames() throws {
    #expect(try answer(["Range": "bytes=0-1", "If-Range": "\"a\""]).status.code == 206)
    #expect(try answer(["Range": "bytes=0-1", "If-Range": "\"b\""]).status.code == 200)
    #expect(
      try answer(["Range": "bytes=0-1", "If-Range": "Wed, 25 Jun 2014 17:12:18 GMT"]).status.code == 200)
  }

  @Test func answersWithoutContentWhenAConditionSaysSo() throws {
    let representation = Representation(
      .bytes([]), type: "text/plain", etag: EntityTag("a"), lastModified: nil, fields: [:])
    let known = try request("GET", "/", ["If-None-Match": "\"a\""])
    #expect(representation.answerWithoutContent(to: known)?.status == .notModified)
    let other = try request("GET", "/", ["If-Match": "\"b\""])
    #expect(representation.answerWithoutContent(to: other)?.status == .preconditionFailed)
    #expect(representation.answerWithoutContent(to: try request("GET", "/")) == nil)
  }
}
