import Catalogue
import HTTPWire
import ReadAPI
import SQLite
import TestSupport
import Testing

@testable import DepotService

@Suite struct ProblemTests {
  @Test(arguments: [5, 517, 261, 6])
  func anotherProgramsLockIsAReasonToTryAgain(code: Int32) {
    let error = CatalogueError.storage(
      .failed(code: code, message: "database is locked", sql: "BEGIN IMMEDIATE", path: "/srv/catalogue"))
    for problem in [Problem(error), Problem(PublishError(error))] {
      let reply = Reply(problem.response(isShared: false), wasInline: true)
      #expect(reply.status == 503)
      #expect(reply.slug == "unavailable")
      #expect(reply.fields["Retry-After"] == "5")
      #expect(reply.fields["Content-Type"] == "application/problem+json")
      #expect(!reply.text.contains("/srv"))
      #expect(problem.cause as? CatalogueError == error, "the log has it")
    }
  }

  @Test(arguments: [10, 11, 26])
  func anyOtherFailureIsOurs(code: Int32) {
    let error = CatalogueError.storage(
      .failed(code: code, message: "disk I/O error", sql: nil, path: "/srv/catalogue"))
    let reply = Reply(Problem(error).response(isShared: false), wasInline: true)
    #expect(reply.status == 500)
    #expect(reply.fields["Retry-After"] == nil)
  }
}
