import HTTPWire
import Testing

@Suite struct MultipartParserTests {
  /// What came out, with the content of each part in one piece.
  private struct Part: Equatable {
    var name: String
    var filename: String?
    var contentType: String?
    var content = ""
    var isComplete = false

    init(
      _ name: String, _ content: String, filename: String? = nil, contentType: String? = nil,
      isComplete: Bool = true
    ) {
      (self.name, self.content, self.filename) = (name, content, filename)
      (self.contentType, self.isComplete) = (contentType, isComplete)
    }
  }

  private func run(
    _ pieces: [[UInt8]], boundary: String, limits: MultipartLimits
  ) throws(MultipartError) -> [Part] {
    var parser = try MultipartParser(boundary: boundary, limits: limits)
    var parts: [Part] = []
    var content: [UInt8] = []
    for piece in pieces {
      for event in try parser.parse(piece) {
        switch event {
        case .part(let name, let filename, let contentType):
          parts.append(Part(name, "", filename: filename, contentType: contentType, isComplete: false))
          content = []
        case .data(let piece): content += piece
        case .endOfPart:
          parts[parts.count - 1].content = String(decoding: content, as: UTF8.self)
          parts[parts.count - 1].isComplete = true
        case .end: break
        }
      }
    }
    try parser.finish()
    return parts
  }

  /// Reads the body at once and in pieces of every size up to 40; all must agree.
  private func read(
    _ body: String, boundary: String = "B", limits: MultipartLimits = .standard,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws(MultipartError) -> [Part] {
    var results: [Result<[Part], MultipartError>] = []
    for pieces in cuts(Array(body.utf8), sizes: 1...40) {
      do throws(MultipartError) {
        results.append(.success(try run(pieces, boundary: boundary, limits: limits)))
      } catch { results.append(.failure(error)) }
    }
    #expect(results.allSatisfy { $0 == results[0] }, sourceLocation: sourceLocation)
    return try results[0].get()
  }

  private func part(_ name: String, _ content: String) -> String {
    "Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)"
  }

  @Test func readsWhatCurlSends() throws {
    let boundary = "------------------------d74496d66958873e"
    let body =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"gameId\"\r\n\r\nsnake\r\n"
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"package\"; filename=\"snake.zip\"\r\n"
      + "Content-Type: application/zip\r\n\r\nPK\u{3}\u{4}\r\n\r\n--\r\n-- \r\n"
      + "\r\n--\(boundary)--\r\n"
    #expect(
      try read(body, boundary: boundary) == [
        Part("gameId", "snake"),
        Part(
          "package", "PK\u{3}\u{4}\r\n\r\n--\r\n-- \r\n", filename: "snake.zip",
          contentType: "application/zip"),
      ])
  }

  @Test func skipsPreambleAndEpilogue() throws {
    let body =
      "preamble --B\r\n-B\r\n--B-x\r\n--B=\r\n--B\r\n\(part("a", "1"))\r\n--B--\r\nepilogue\r\n--B\r\n"
    #expect(try read(body) == [Part("a", "1")])
    #expect(try read("\r\n--B\r\n\(part("a", "1"))\r\n--B--") == [Part("a", "1")])
  }

  @Test func readsEmptyPartsAndNoParts() throws {
    #expect(try read("--B\r\n\(part("a", ""))\r\n--B--\r\n") == [Part("a", "")])
    // The line break that ends the head can be the delimiter's.
    #expect(try read("--B\r\n\(part("a", ""))--B--\r\n") == [Part("a", "")])
    #expect(
      try read("--B\r\n\(part("a", ""))--B\r\n\(part("b", "1"))\r\n--B--") == [Part("a", ""), Part("b", "1")])
    #expect(try read("--B--\r\n").isEmpty)
    #expect(try read("--B\r\n\(part("a", "\r\n"))\r\n--B--\r\n") == [Part("a", "\r\n")])
  }

  @Test(arguments: [
    "\r\n--", "\r\n--C", "\r\n-", "\r", "\n", "\r\r\r", "\r\n\r\n", "x--B--", "\r\n--BB", "\r\n--B-",
    "\r\n--B-x", "\r\n--Bx--",
    "\n--B\n", "\r\r\n--", "\r\n--\r\n--", "\r\n--B=\r\n", "--Bx", "-x", "--C\r\n",
  ])
  func keepsWhatOnlyLooksLikeADelimiter(_ content: String) throws {
    #expect(try read("--B\r\n\(part("a", content))\r\n--B--\r\n") == [Part("a", content)])
    #expect(
      try read("--B\r\n\(part("a", "x" + content + "y"))\r\n--B--\r\n") == [Part("a", "x" + content + "y")])
  }

  @Test func takesWhiteSpaceAfterABoundary() throws {
    #expect(
      try read("--B \t\r\n\(part("a", "1"))\r\n--B  \r\n\(part("b", "2"))\r\n--B--  ") == [
        Part("a", "1"), Part("b", "2"),
      ])
  }

  @Test(arguments: [
    ("form-data; name=\"a\"; filename=\"x y.zip\"", "x y.zip"), ("FORM-DATA;NAME=a;FILENAME=x", "x"),
    ("form-data; name=a; filename=\"C:\\new\\x.zip\"", "C:\\new\\x.zip"),
    ("form-data; name=a; filename=\"a\\\"b\\\\c\"", "a\"b\\c"),
    ("form-data; name=a; filename=\"\"", ""), ("form-data; name=a; filename=\"%22;\"", "%22;"),
    ("form-data; name=a; filename=\"e\"; filename*=UTF-8''%e2%82%ac%20x", "€ x"),
    ("form-data; filename*=utf-8'en'x ; name=a", "x"),
    ("form-data; name=a; filename=e; filename*=latin1''%e4", "e"),
    ("form-data; name=a; filename=e; filename*=UTF-8''%ff", "e"),
    ("form-data; name=a; filename=e; filename*=x", "e"),
    ("form-data; name=a; filename=\"游戏.zip\";", "游戏.zip"),
  ])
  func readsFileNames(_ disposition: String, _ filename: String) throws {
    let body = "--B\r\ncontent-disposition:\(disposition)\r\n\r\n1\r\n--B--\r\n"
    #expect(try read(body) == [Part("a", "1", filename: filename)])
  }

  @Test(arguments: [
    "\r\n", "Content-Type: text/plain\r\n\r\n", "Content-Disposition: attachment; name=a\r\n\r\n",
    "Content-Disposition: form-data\r\n\r\n", "Content-Disposition: form-data; filename=a\r\n\r\n",
    "Content-Disposition: form-data; name=a; name=b\r\n\r\n",
    "Content-Disposition: form-data; name=\"a\r\n\r\n",
    "Content-Disposition: form-data; name=\r\n\r\n", "Content-Disposition: form-data; name=a b\r\n\r\n",
    "Content-Disposition: form-data name=a\r\n\r\n", "Content-Disposition: form-data; name=a\n\n",
    "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n",
    "Content-Type: a/b\r\ncontent-type: a/b\r\nContent-Disposition: form-data; name=a\r\n\r\n",
    "Content-Disposition: form-data;\r\n name=a\r\n\r\n", "Content-Disposition : form-data; name=a\r\n\r\n",
    "Content-Disposition: form-data; name=\"\u{1}\"\r\n\r\n",
    "Content-Disposition: form-data; name=a\rX: 1\r\n\r\n",
    "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n", ": x\r\n\r\n",
    "x\r\n\r\n",
  ])
  func refusesBrokenHeads(_ head: String) {
    let error = #expect(throws: MultipartError.self) { try read("--B\r\n\(head)1\r\n--B--\r\n") }
    guard case .malformed = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test func takesEncodingsThatChangeNothing() throws {
    let head =
      "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: Binary\r\nX-Other: 1\r\n\r\n"
    #expect(try read("--B\r\n\(head)1\r\n--B--\r\n") == [Part("a", "1")])
  }

  @Test(arguments: [
    "", "--B", "--B\r\n", "no boundary", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1",
    "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B",
    "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B-",
  ])
  func tellsATruncatedBody(_ body: String) {
    #expect(throws: MultipartError.truncated) { try read(body) }
  }

  @Test(arguments: ["--B x\r\n", "--B\rx", "--B \rx", "\r\n--B\t-\r\n"])
  func refusesWhatFollowsABoundary(_ body: String) {
    #expect(throws: MultipartError.malformed("Something follows a boundary on its line.")) { try read(body) }
  }

  @Test func holdsItsLimits() throws {
    let limits = MultipartLimits(headBytes: 60, fieldBytes: 10, parts: 2)
    let ten = "0123456789"
    #expect(try read("--B\r\n\(part("a", ten))\r\n--B--\r\n", limits: limits) == [Part("a", ten)])
    #expect(throws: MultipartError.fieldTooLarge(name: "a", limit: 10)) {
      try read("--B\r\n\(part("a", ten + "x"))\r\n--B--\r\n", limits: limits)
    }
    #expect(throws: MultipartError.fieldTooLarge(name: "a", limit: 10)) {
      try read("--B\r\n\(part("a", "01234567\r\n--BBBB"))\r\n--B--\r\n", limits: limits)
    }
    let file = "Content-Disposition: form-data; name=f; filename=f\r\n\r\n"
    #expect(
      try read("--B\r\n\(file)\(ten)\(ten)\r\n--B--\r\n", limits: limits) == [
        Part("f", ten + ten, filename: "f")
      ])
    let three = String(repeating: "--B\r\n\(part("a", "1"))\r\n", count: 3)
    #expect(throws: MultipartError.tooManyParts(limit: 2)) { try read(three + "--B--\r\n", limits: limits) }
    #expect(throws: MultipartError.headTooLarge(limit: 60)) {
      try read("--B\r\nX: \(String(repeating: "y", count: 80))\r\n\r\n--B--\r\n", limits: limits)
    }
  }

  @Test(arguments: ["", " ", "a ", "a\r", "a\"", "ä", "a;b", String(repeating: "b", count: 71)])
  func refusesBoundaries(_ boundary: String) {
    #expect(throws: MultipartError.badBoundary) { try MultipartParser(boundary: boundary, limits: .standard) }
  }

  @Test func takesItsBoundaryFromTheType() throws {
    let quoted = try #require(MediaType("Multipart/Form-Data; charset=utf-8; boundary=\"a b:c'\""))
    var parser = try MultipartParser(quoted, limits: .standard)
    #expect(try parser.parse(Array("--a b:c'--".utf8)) == [.end])
    #expect(parser.isFinished)
    for type in ["multipart/form-data", "multipart/mixed; boundary=a", "application/zip"] {
      let type = try #require(MediaType(type))
      #expect(throws: MultipartError.badBoundary) { try MultipartParser(type, limits: .standard) }
    }
  }

  @Test func handsOnContentBeforeThePartIsComplete() throws {
    var parser = try MultipartParser(boundary: "B", limits: .standard)
    let head = "--B\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n"
    #expect(
      try parser.parse(Array((head + "abc\r").utf8)) == [
        .part(name: "f", filename: "x", contentType: nil), .data(Array("abc".utf8)),
      ])
    #expect(try parser.parse(Array("\n--".utf8)).isEmpty)
    #expect(try parser.parse(Array("x".utf8)) == [.data(Array("\r\n--x".utf8))])
    #expect(try parser.parse(Array("\r\n--B--".utf8)) == [.endOfPart, .end])
    #expect(try parser.parse(Array("anything".utf8)).isEmpty)
  }
}
