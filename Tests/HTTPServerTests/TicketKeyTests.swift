import HTTPWire
import TestSupport
import Testing

@testable import HTTPServer
@testable import Platform

/// How long a session can be taken up again.
@Suite struct TicketKeyTests {
  private static let hour: Int64 = 3_600_000

  /// Makes a session, lets time pass in steps, each with a connection, and says whether it is taken up then.
  private static func isResumed(_ version: String, afterHours steps: [Int64]) async throws -> Bool? {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let certificate = try TestCertificate(in: folder, names: ["localhost"])
    let tls = try TLSContext([certificate.files]) { clock.value }
    var isResumed: Bool?
    try await withServer(tls: tls) { live in
      let first = try live.secureClient(.init(version: version))
      try first.send(TLSTests.hello)
      _ = try first.response()
      for (index, step) in steps.enumerated() {
        clock.advance(milliseconds: step * Self.hour)
        let isLast = index == steps.count - 1
        let later = try live.secureClient(.init(version: version, session: isLast ? first.tls?.saved : nil))
        if isLast { isResumed = later.tls?.isResumed }
      }
    }
    return isResumed
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"])
  func ticketsOutliveTheChangeOfTheirKey(_ version: String) async throws {
    #expect(try await Self.isResumed(version, afterHours: [13]) == true)
  }

  @Test(arguments: ["TLSv1.2", "TLSv1.3"], [[25], [13, 13]])
  func ticketsEndWithTheKeyBefore(_ version: String, _ hours: [Int64]) async throws {
    #expect(try await Self.isResumed(version, afterHours: hours) == false)
  }
}
