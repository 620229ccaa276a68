import HTTPClient
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct UploadTests {
  private let folder: TemporaryFolder
  private let file: File
  private let bytes: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    file = try folder.directory.file("a.zip", mode: .createNew)
    bytes = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    try SystemVolume().write(bytes, to: file, at: 0)
  }

  @Test func sendsTheFileAfterTheServerSaysGoOn() async throws {
    let server = try ScriptedServer { _ in
      [
        .text("HTTP/1.1 100 Continue\r\n\r\n"), .readBody,
        .text("HTTP/1.1 201 Made\r\nContent-Length: 2\r\n\r\n{}"),
      ]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let progress = Mutex<[Int64]>([])
    let response = try await engine.upload(
      UploadRequest(url(server, "/games?gameId=a"), file: file), limit: 100
    ) {
      sent in progress.withLock { $0.append(sent) }
    }
    #expect(response.status == 201)
    #expect(server.bodies == [bytes])
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.target == "/games?gameId=a")
    #expect(request["Expect"] == "100-continue")
    #expect(request["Content-Type"] == "application/zip")
    #expect(request["Content-Length"] == "1500000")
    let told = progress.withLock { $0 }
    #expect(told.last == 1_500_000)
    #expect(told == told.sorted())
  }

  @Test func sendsNothingWhenRefusedBefore() async throws {
    let server = try ScriptedServer { _ in
      [.text("HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"), .close]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let progress = Mutex<Int64>(0)
    let response = try await engine.upload(UploadRequest(url(server), file: file), limit: 100) { sent in
      progress.withLock { $0 = sent }
    }
    #expect(response.status == 401)
    #expect(progress.withLock { $0 } == 0)
  }

  @Test func mayThinkLongerThanTheStallTimeout() async throws {
    let server = try ScriptedServer { _ in [.text("HTTP/1.1 100 Continue\r\n\r\n"), .readBody, .stall] }
    defer { server.stop() }
    var settings = HTTPClientSettings.standard
    settings.stallTimeout = .milliseconds(600)
    let engine = try TransferEngine(settings)
    let request = UploadRequest(try url(server), file: file, answerTimeout: .milliseconds(1200))
    do throws(TransferError) {
      _ = try await engine.upload(request, limit: 100) { _ in }
      Issue.record("an answer came")
    } catch {
      #expect(error == .stalled(after: .milliseconds(1200)))
    }
  }

  @Test func tellsAFileThatBecameShorter() async throws {
    let file = file
    let server = try ScriptedServer { _ in
      [.call { _ = try? file.truncate(to: 10) }, .text("HTTP/1.1 100 Continue\r\n\r\n"), .readBody]
    }
    defer { server.stop() }
    let engine = try TransferEngine(.standard)
    let there = try url(server)
    do throws(TransferError) {
      _ = try await engine.upload(UploadRequest(there, file: file), limit: 100) {
        _ in
      }
      Issue.record("it was sent")
    } catch {
      guard case .unreadable = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
