import DepotModel
import DepotService
import Foundation
import Glibc
import HTTPWire
import TestSupport
import Testing

/// Crashes, disks that fail, and two at once.
extension ResumableUploadTests {
  /// A body whose first piece has come and whose rest is waited for.
  private final class SlowBody: RequestBody {
    private let pieces: AsyncStream<[UInt8]>
    private let source: AsyncStream<[UInt8]>.Continuation

    init() { (pieces, source) = AsyncStream.makeStream() }

    func send(_ bytes: [UInt8]) { source.yield(bytes) }
    func finish() { source.finish() }

    func next() async throws(RequestBodyError) -> [UInt8]? { await pieces.first { _ in true } }
  }

  @Test func oneOfTwoAtOnceHoldsIt() async throws {
    let location = try await create()
    let head = try request(
      wire: "PATCH \(location) HTTP/1.1\r\nHost: depot.test\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
        + "Authorization: Bearer publish-token\r\nContent-Type: application/offset+octet-stream\r\n"
        + "Content-Length: \(zip.count)\r\n\r\n")
    guard case .later(let work) = fixture.handler.respond(to: head) else {
      Issue.record("no body would be read")
      return
    }
    let body = SlowBody()
    async let first = work(body)
    body.send(Array(zip[..<1000]))
    while try await ask("GET", location).json["offset"] as? Int != 1000 {}
    let second = try await patch(location, zip[1000...], at: 1000)
    #expect(second.status == 423)
    #expect(second.slug == "upload-locked")
    #expect(second.fields["Retry-After"] == "1")
    #expect(try await ask("DELETE", location).status == 423)
    body.send(Array(zip[1000...]))
    body.finish()
    let response = await first
    #expect(response.fields["Location"] == "/games/a/versions/1")
    #expect(try await ask("DELETE", location).status == 204)
  }

  @Test func removesWhatACrashLeftHalfMade() async throws {
    _ = try await create()
    let id = String(repeating: "ab", count: 16)
    for name in ["\(id).part", ".pending-\(id).part"] {
      _ = FileManager.default.createFile(atPath: "\(fixture.path)/uploads/\(name)", contents: Data([1]))
    }
    fixture.handler.sweepUploads(isStarting: true)
    #expect(fixture.names(in: "uploads").count == 2)
  }

  @Test func goesOnAfterEachFaultOfTheDisk() async throws {
    let zip = Samples.game()
    for step in 1...200 {
      let location = try await create("game\(step)", length: zip.count)
      let volume = FaultyVolume(failing: step, errno: EIO)
      // Opening may be what failed.
      guard let faulty = try? DepotFixture(reopening: fixture, volume: volume) else { continue }
      let first = try await patch(location, zip, at: 0, on: faulty)
      guard volume.failed != nil else {
        #expect(first.status == 204)
        #expect(step > 10, "there were some")
        return
      }
      let fault = volume.failed ?? ""
      // The client goes on with whatever is there.
      let here = try #require(try await offset(location), "\(fault)")
      let rest = try await patch(location, zip[min(here, zip.count)...], at: here)
      #expect(rest.fields["Location"] == "/games/game\(step)/versions/1", "\(fault)")
      #expect(try await fixture.ask("/games/game\(step)/package.zip").bytes == zip, "\(fault)")
    }
    Issue.record("it never succeeded")
  }
}
