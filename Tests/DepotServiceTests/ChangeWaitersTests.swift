import Catalogue
import DepotModel
import Foundation
import HTTPWire
import Platform
import ReadAPI
import TestSupport
import Testing

@testable import DepotService

@Suite(.timeLimit(.minutes(1))) struct ChangeWaitersTests {
  /// Returns once so many wait.
  private func arrival(of count: Int, in waiters: ChangeWaiters) async {
    while waiters.count < count { await Task.yield() }
  }

  @Test func aChangeEndsTheWaitsThatBeganBeforeIt() async {
    let waiters = ChangeWaiters()
    async let old = waiters.wait(token: 1, until: 1000)
    await arrival(of: 1, in: waiters)
    async let new = waiters.wait(token: 2, until: 1000)
    await arrival(of: 2, in: waiters)
    waiters.note(token: 2, now: 10)
    #expect(await old == .changed)
    #expect(waiters.count == 1)
    waiters.note(token: 3, now: 20)
    #expect(await new == .changed)
  }

  @Test func timeEndsAWaitAtItsDeadlineAndNotBefore() async {
    let waiters = ChangeWaiters()
    async let outcome = waiters.wait(token: 1, until: 1000)
    await arrival(of: 1, in: waiters)
    waiters.note(token: 1, now: 999)
    #expect(waiters.count == 1)
    waiters.note(token: 1, now: 1000)
    #expect(await outcome == .timeIsUp)
  }

  @Test func aCatalogueThatCannotBeReadEndsEveryWait() async {
    let waiters = ChangeWaiters()
    async let outcome = waiters.wait(token: 1, until: 1000)
    await arrival(of: 1, in: waiters)
    waiters.note(token: nil, now: 0)
    #expect(await outcome == .changed)
  }

  @Test func aServerThatStopsEndsWaitsAndBeginsNone() async {
    let waiters = ChangeWaiters()
    async let outcome = waiters.wait(token: 1, until: 1000)
    await arrival(of: 1, in: waiters)
    waiters.close()
    #expect(await outcome == .timeIsUp)
    #expect(await waiters.wait(token: 1, until: .max) == .timeIsUp)
    #expect(waiters.isClosed)
  }

  private func changes(_ fixture: DepotFixture, since revision: Int64, _ more: String = "") -> Task<
    Reply, any Error
  > {
    Task { try await fixture.ask("/games?since=\(revision)&wait=300\(more)") }
  }

  @Test func anAnswerIsHeldBackUntilSomethingIsPublished() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    let revision = try fixture.depot.catalogue.revision()
    let waiting = changes(fixture, since: revision)
    await arrival(of: 1, in: fixture.handler.waiters)
    try await fixture.publish("gameId=b&h5Version=1")
    let reply = try await waiting.value
    #expect(reply.status == 200)
    #expect((reply.json["changed"] as? [[String: Any]])?.compactMap { $0["gameId"] as? String } == ["b"])
    #expect(reply.json["revision"] as? Int64 == revision + 1)
  }

  @Test func aChangeByAnotherProcessIsSeenAtTheNextTick() async throws {
    let fixture = try DepotFixture()
    let other = try DepotFixture(reopening: fixture)
    let waiting = changes(fixture, since: try fixture.depot.catalogue.revision())
    await arrival(of: 1, in: fixture.handler.waiters)
    try await other.publish("gameId=a&h5Version=1")
    #expect(fixture.handler.waiters.count == 1)
    fixture.handler.tick()
    #expect(try await waiting.value.text.contains(#""gameId":"a""#))
  }

  @Test func aChangeOfAnotherChannelGoesOnWaiting() async throws {
    let fixture = try DepotFixture()
    let waiting = changes(fixture, since: try fixture.depot.catalogue.revision(), "&channel=beta")
    await arrival(of: 1, in: fixture.handler.waiters)
    try await fixture.publish("gameId=a&h5Version=1")
    await arrival(of: 1, in: fixture.handler.waiters)
    try await fixture.publish("gameId=a&h5Version=2&channel=beta")
    #expect(try await waiting.value.text.contains(#""h5Version":"2""#))
  }

  @Test func whatChangedAlreadyIsToldAtOnce() async throws {
    let fixture = try DepotFixture()
    try await fixture.publish("gameId=a&h5Version=1")
    #expect(try await fixture.ask("/games?since=0&wait=300").text.contains(#""gameId":"a""#))
    #expect(fixture.handler.waiters.count == 0)
  }

  @Test func aStopAnswersThoseWhoWaitWithNoChange() async throws {
    let fixture = try DepotFixture()
    let revision = try fixture.depot.catalogue.revision()
    let waiting = changes(fixture, since: revision)
    await arrival(of: 1, in: fixture.handler.waiters)
    fixture.handler.endWaits()
    let reply = try await waiting.value
    #expect(reply.text == #"{"changed":[],"next":null,"removed":[],"revision":\#(revision)}"#)
    #expect(try await changes(fixture, since: revision).value.status == 200)
  }

  @Test func whoKnowsTheAnswerIsTold304WhenTheWaitIsOver() async throws {
    let fixture = try DepotFixture()
    let revision = try fixture.depot.catalogue.revision()
    fixture.handler.endWaits()
    let first = try await fixture.ask("/games?since=\(revision)&wait=1")
    let tag = try #require(first.fields["ETag"])
    let again = try await fixture.ask("GET", "/games?since=\(revision)&wait=1", ["If-None-Match": tag])
    #expect(again.status == 304)
  }

  @Test(arguments: [
    "wait=1", "since=0&wait=301", "since=0&wait=-1", "since=0&wait=x", "since=0&wait=",
    "since=0&wait=1&wait=2",
  ])
  func aWaitThatCannotBeMeantIsRefused(query: String) async throws {
    let reply = try await DepotFixture().ask("/games?\(query)")
    #expect(reply.status == 400)
    #expect(reply["field"] == "wait")
  }

  @Test func aWaitOfNothingAnswersAtOnce() async throws {
    let fixture = try DepotFixture()
    #expect(try await fixture.ask("/games?since=0&wait=0").status == 200)
  }
}
