import HTTPClient
import Platform
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import MirrorClient

/// A room that can be made to refuse.
private final class MoodyRoom: ReceiptRoom {
  private let file: ReceiptFile
  private let refuses = Mutex(false)

  init(_ folder: TemporaryFolder) throws { file = try ReceiptFile(in: try folder.directory) }

  func refuse(_ value: Bool) { refuses.withLock { $0 = value } }

  func withReceipts<Result: Sendable>(
    _ body: @Sendable (Database) throws(SQLiteError) -> Result
  ) throws(DownloadError) -> Result {
    if refuses.withLock({ $0 }) { throw .receipts(path: "here", reason: "no", isUnwritable: true) }
    return try file.withReceipts(body)
  }

  func close() { file.close() }
}

@Suite struct ReceiptWriterTests {
  private let folder: TemporaryFolder
  private let room: MoodyRoom

  init() throws {
    folder = try TemporaryFolder()
    room = try MoodyRoom(folder)
  }

  private func receipt(_ number: Int) throws -> DownloadReceipt {
    DownloadReceipt(Download(url: try web("http://a.test/\(number)")), position: Int64(number))
  }

  @Test func whatCameAndWentWhileItLingeredIsNeverWritten() async throws {
    let writer = try ReceiptWriter(room, linger: .seconds(3600))
    for number in 0..<100 {
      writer.put(try receipt(number))
      writer.remove(try receipt(number).id)
    }
    try await writer.flush()
    #expect(writer.batches == 0)
    #expect(try writer.all() == [])
  }

  @Test func flushWaitsForNobody() async throws {
    let writer = try ReceiptWriter(room, linger: .seconds(3600))
    for number in 0..<100 { writer.put(try receipt(number)) }
    try await writer.flush()
    #expect(writer.batches == 1)
    #expect(try writer.all().count == 100)
    writer.remove(try receipt(7).id)
    try await writer.flush()
    #expect(try writer.all().count == 99)
  }

  @Test func whatLingersIsWrittenByItself() async throws {
    let writer = try ReceiptWriter(room, linger: .milliseconds(1))
    for round in 1...20 {
      writer.put(try receipt(round))
      while try writer.all().count < round { await Task.yield() }
    }
  }

  @Test func theLastChangeWinsHoweverTheyRace() async throws {
    for linger in [Duration.zero, .microseconds(50)] {
      let writer = try ReceiptWriter(room, linger: linger)
      let last = try receipt(3)
      for _ in 0..<300 {
        for number in 0..<6 { writer.put(try receipt(number)) }
        for number in 0..<6 { writer.remove(try receipt(number).id) }
      }
      writer.put(last)
      try await writer.flush()
      #expect(try writer.all() == [last])
      writer.remove(last.id)
      try await writer.flush()
      #expect(try writer.all() == [])
    }
  }

  @Test(arguments: [Duration.zero, .seconds(3600)])
  func whatCouldNotBeWrittenIsWrittenLater(linger: Duration) async throws {
    let writer = try ReceiptWriter(room, linger: linger)
    room.refuse(true)
    writer.put(try receipt(1))
    await #expect(throws: DownloadError.self) { try await writer.flush() }
    await #expect(throws: DownloadError.self) { try await writer.flush() }
    room.refuse(false)
    writer.put(try receipt(2))
    try await writer.flush()
    #expect(try writer.all().map(\.position) == [1, 2])
  }

  @Test func aClosedRoomIsAnErrorAndNoWaitForEver() async throws {
    let writer = try ReceiptWriter(room)
    writer.put(try receipt(1))
    try await writer.close()
    writer.put(try receipt(2))
    await #expect(throws: DownloadError.self) { try await writer.flush() }
    let next = try ReceiptWriter(try MoodyRoom(folder))
    #expect(try next.all().map(\.position) == [1])
  }
}
