import Foundation
import Platform
import TestSupport
import Testing

@testable import struct Platform.Logger

/// Lines of the application's log.
@Suite struct LogTests {
  private static let moment: Int64 = 1_770_091_506_007

  private static func line(
    _ format: Logger.Format, _ message: String, _ requestID: String?, _ fields: Logger.Fields
  ) -> String {
    String(
      decoding: Logger.line(format, .warning, message, requestID, fields, at: moment), as: UTF8.self)
  }

  @Test func writesText() {
    let line = Self.line(.text, "disk is low", "id-1", ["path": "/data", "free": "12 \"MB\""])
    #expect(
      line == """
        2026-02-03T04:05:06.007Z warning: disk is low requestId="id-1" path="/data" free="12 \\"MB\\""\n
        """)
  }

  @Test func writesJSON() throws {
    let fields: Logger.Fields = ["path": "/dätä\u{1F600}", "quote": "\"\\\n\u{7f}"]
    let line = Self.line(.json, "it's \"bad\"", nil, fields)
    #expect(line.last == "\n")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    #expect(object["time"] == "2026-02-03T04:05:06.007Z")
    #expect(object["level"] == "warning")
    #expect(object["message"] == "it's \"bad\"")
    #expect(object["path"] == "/dätä\u{1F600}")
    #expect(object["quote"] == "\"\\\n\u{7f}")
    #expect(object["requestId"] == nil)
  }

  @Test(arguments: Logger.Format.allCases) func letsNoValueEndALineOrActOnATerminal(format: Logger.Format) {
    let hostile = "\r\n\u{1b}[2J\u{0}\u{85}\u{2028}\t\u{9b}31m"
    let line = Self.line(format, hostile, hostile, ["name\n": hostile])
    #expect(line.dropLast().utf8.allSatisfy { (0x20..<0x7f).contains($0) })
    #expect(line.hasSuffix("\n"))
  }

  @Test func writesOnlyWhatMattersEnough() throws {
    let folder = try TemporaryFolder()
    let file = try folder.directory.file("log", mode: .createNew)
    let logger = Logger(format: .text, minimum: .notice, descriptor: file.number)
    logger.debug("no")
    logger.info("no")
    logger.notice("yes")
    logger.warning("yes", requestID: "1")
    logger.error("yes", ["a": "b"])
    let text = String(decoding: try file.bytes(at: 0, count: 1000), as: UTF8.self)
    let levels = text.split(separator: "\n").map { $0.split(separator: " ")[1] }
    #expect(levels == ["notice:", "warning:", "error:"])
    #expect(!text.contains("no "))
  }

  @Test func doesNoWorkForWhatIsNotWritten() {
    var isAsked = false
    func message() -> String {
      isAsked = true
      return ""
    }
    Logger.silent.error(message())
    Logger(format: .json, minimum: .error).log(.info, message())
    #expect(!isAsked)
  }

  @Test func namesItsLevelsInOrder() {
    #expect(Logger.Level.allCases.map(\.name) == ["debug", "info", "notice", "warning", "error"])
    #expect(Logger.Level.allCases == Logger.Level.allCases.sorted())
  }
}

@Suite struct CalendarTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00"), (951_782_399, "2000-02-28T23:59:59"), (951_782_400, "2000-02-29T00:00:00"),
      (4_107_542_400, "2100-03-01T00:00:00"), (-1, "1969-12-31T23:59:59"),
      (-2_203_891_200, "1900-03-01T00:00:00"),
      (1_770_091_506, "2026-02-03T04:05:06"), (253_402_300_799, "9999-12-31T23:59:59"),
    ] as [(Int64, String)])
  func takesAMomentApart(seconds: Int64, text: String) {
    #expect(CalendarTime(unixSeconds: seconds).text == text)
  }

  @Test func writesAsAccessLogsDo() {
    #expect(CalendarTime(unixSeconds: 1_770_091_506).accessLogText == "03/Feb/2026:04:05:06 +0000")
  }
}

@Suite struct SystemClockTests {
  @Test func goesForward() {
    let (nanoseconds, milliseconds) = (SystemClock.monotonicNanoseconds, SystemClock.monotonicMilliseconds)
    #expect(SystemClock.monotonicNanoseconds >= nanoseconds)
    #expect(SystemClock.monotonicMilliseconds >= milliseconds)
    #expect(milliseconds - nanoseconds / 1_000_000 < 10_000)
    #expect(abs(Date().timeIntervalSince1970 - Double(SystemClock.unixSeconds)) < 10)
    #expect(SystemClock.unixMilliseconds / 1000 - SystemClock.unixSeconds < 10)
  }
}
