import Testing

@testable import HTTPWire

@Suite struct ChunkedBodyTests {
  /// Decodes at once and in pieces of each small size; all must agree. Nil is a refusal.
  private func decode(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> (
    String, Int, Bool
  )? {
    func run(_ pieces: [[UInt8]]) -> (String, Int, Bool)? {
      var body = ChunkedBody()
      var output: [UInt8] = []
      var total = 0
      for piece in pieces where !body.isFinished {
        do throws(HTTPRefusal) {
          let consumed = try body.decode(piece.span, into: &output)
          #expect(consumed == piece.count || body.isFinished, sourceLocation: sourceLocation)
          total += consumed
        } catch {
          #expect(error.status == .badRequest, sourceLocation: sourceLocation)
          return nil
        }
      }
      return (String(decoding: output, as: UTF8.self), total, body.isFinished)
    }
    let outcomes = cuts(Array(text.utf8), sizes: 1...7).map(run)
    for one in outcomes {
      let first = outcomes[0]
      #expect(one?.0 == first?.0 && one?.1 == first?.1 && one?.2 == first?.2, sourceLocation: sourceLocation)
    }
    return outcomes[0]
  }

  @Test func putsChunksTogether() throws {
    let decoded = try #require(decode("5\r\nhello\r\n1\r\n \r\n00A\r\nwide world\r\n0\r\n\r\n"))
    #expect(decoded == ("hello wide world", 38, true))
  }

  @Test func takesNothingBehindTheEnd() throws {
    let decoded = try #require(decode("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n"))
    #expect(decoded == ("a", 11, true))
    var body = ChunkedBody()
    var output: [UInt8] = []
    let bytes = Array("0\r\n\r\n".utf8)
    #expect(try body.decode(bytes.span, into: &output) == 5)
    #expect(try body.decode(bytes.span, into: &output) == 0)
  }

  @Test(arguments: [
    "3;a\r\nabc\r\n0\r\n\r\n", "3;a=b\r\nabc\r\n0\r\n\r\n",
    "3 ; a = b ;c=\"d \\\" ; \\\\ e\";f\r\nabc\r\n0;z\r\n\r\n",
    "3;a;b\r\nabc\r\n000\r\n\r\n", "3\r\nabc\r\n0\r\nX: 1\r\nY:\r\n\r\n", "3;a=\"\"\r\nabc\r\n0\r\n\r\n",
    "0000000000000003\r\nabc\r\n0\r\n\r\n", "00000000000000003\r\nabc\r\n0\r\n\r\n",
    "3 \t ;a \t= \tb\r\nabc\r\n0\r\n\r\n",
    "3;a=\"\\\t\t\"\r\nabc\r\n0\r\n\r\n", "3;a=\"ä\"\r\nabc\r\n0\r\n\r\n",
    "3\r\nabc\r\n0\r\nExpires:\t1\t\r\n\r\n",
  ])
  func ignoresExtensionsAndTrailers(_ text: String) throws {
    let decoded = try #require(decode(text))
    #expect(decoded == ("abc", text.utf8.count, true))
  }

  @Test(arguments: [
    "\r\n", " 3\r\nabc", "g\r\n", "3\nabc", "3\r\nabcd\r\n", "3\r\nabc\n", "3\r\nab\r\n0\r\n\r\n",
    "0x3\r\nabc\r\n", "-1\r\n", "+3\r\nabc",
    "3 \r\nabc\r\n", "3\t\r\nabc", "3;\r\nabc\r\n", "3; \r\nabc", "3;a=\r\nabc", "3;a=b \r\nabc",
    "3;a \r\nabc", "3;a=\"b\r\nabc",
    "3;a=\"b\"c\r\nabc", "3;a b\r\nabc", "3;=b\r\nabc", "3;a\nabc", "3;a=\"\u{1}\"\r\nabc", "3;;a\r\nabc",
    "3\rabc", "3;a\rb\r\n",
    "3\r\nabc\r\r\n", "10000000000000000\r\n", "00010000000000000000\r\n", "3 x\r\nabc",
    "3;a=\"\\\u{7f}\"\r\nabc", "3;a=\"b\rc\"\r\nabc",
    "3;a=b=c\r\nabc", "3;a= \r\nabc", "3;a=\"b\" \r\nabc", "3;a=\"b\"\nabc",
    "fffffffffffffffff\r\n",
    "1234567890123456789012345678901234567890\r\n", "0\r\n\n", "0\r\nX\r\n\r\n", "0\r\nX : 1\r\n\r\n",
    "0\r\n X: 1\r\n\r\n",
    "0\r\nX: 1\n\r\n", "0\r\nX: \u{0}\r\n\r\n", "0\r\nX: 1\r\n\rX", "0\r\n: 1\r\n\r\n", "0\r\n\rX",
  ])
  func refusesWhatTheGrammarDoesNotHave(_ text: String) { #expect(decode(text) == nil) }

  @Test(arguments: [
    "7fffffff", "80000000", "100000000", "20000000000000", "7fffffffffffffff", "8000000000000000",
    "ffffffffffffffff",
  ])
  func waitsForChunksOfAnySize(_ size: String) throws {
    let decoded = try #require(decode("\(size)\r\nabc"))
    #expect(decoded == ("abc", size.utf8.count + 5, false))
  }

  @Test func boundsExtensionsOfTinyChunksTogether() {
    let noted = "1;\(String(repeating: "x", count: 100))\r\na\r\n"
    // 102 bytes a chunk, of which 18 are its own.
    let fits = ChunkedBody.excessLimit / 84
    #expect(decode(String(repeating: noted, count: fits) + "0\r\n\r\n") != nil)
    #expect(decode(String(repeating: noted, count: fits + 1) + "0\r\n\r\n") == nil)
    // Where the content is worth it, as in a signed upload, any number may come.
    let signed =
      "400;chunk-signature=\(String(repeating: "f", count: 64))\r\n\(String(repeating: "a", count: 1024))\r\n"
    #expect(decode(String(repeating: signed, count: 300) + "0\r\n\r\n") != nil)
    #expect(decode(String(repeating: "1\r\na\r\n", count: 3000) + "0\r\n\r\n") != nil)
  }

  @Test func boundsLeadingZeros() {
    let zeros = String(repeating: "0", count: ChunkedBody.digitLimit - 1)
    #expect(decode("\(zeros)3\r\nabc\r\n0\r\n\r\n") != nil)
    #expect(decode("0\(zeros)3\r\nabc\r\n0\r\n\r\n") == nil)
  }

  @Test func boundsExtensionsAndTrailers() {
    let name = String(repeating: "x", count: ChunkedBody.extensionLimit)
    #expect(decode("1;\(name.dropLast(1))\r\na\r\n0\r\n\r\n") != nil)
    #expect(decode("1;\(name)x\r\na\r\n0\r\n\r\n") == nil)
    let line = "X: \(String(repeating: "y", count: 1000))\r\n"
    #expect(decode("0\r\n\(String(repeating: line, count: 8))\r\n") != nil)
    #expect(decode("0\r\n\(String(repeating: line, count: 9))\r\n") == nil)
  }
}
