import Foundation
import HTTPClient
import MirrorClient
import TestSupport
import Testing

@Suite struct DownloadExamplesTests {
  @Test func theReadmeShowsWhatIsCompiledHere() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let source = try String(
      contentsOf: here.appendingPathComponent("DownloadExamples.swift"), encoding: .utf8)
    var root = here
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    for name in ["one", "many"] {
      let begin = try #require(source.range(of: "// example: \(name)\n"))
      let end = try #require(source.range(of: "// example ends", range: begin.upperBound..<source.endIndex))
      let code = source[begin.upperBound..<end.lowerBound]
      #expect(readme.contains("```swift\n\(code)```"), "example \(name)")
    }
  }

  @Test func oneFileGoesWhereItsServerSaysIntoAFolder() async throws {
    let bench = try ManagerBench()
    let file = ServedFile(bytes: [1, 2], fields: "Content-Disposition: attachment; filename=book.zip\r\n")
    let server = try ScriptedServer { file.answer($0) }
    defer { server.stop() }
    let path = try await fetchBook(try web(server.url("/x")), into: bench.out)
    #expect(path == "\(bench.out)/book.zip")
    #expect(bench.names(bench.out) == [".downloads", "book.zip"])
  }

  @Test func manyComeToAnEndWhateverBecomesOfEach() async throws {
    let bench = try ManagerBench()
    let server = try ScriptedServer { request in
      request.target == "/2"
        ? [.text("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")]
        : ServedFile(bytes: [1, 2]).answer(request)
    }
    defer { server.stop() }
    try await fetchAll((0..<5).map { try web(server.url("/\($0)")) }, by: try bench.manager())
    #expect(try bench.rows().count { $0.state == .completed } == 4)
    #expect(try bench.rows().first { $0.state == .failed }?.failure?.status == 404)
  }
}
