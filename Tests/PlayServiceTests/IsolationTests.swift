import DepotModel
import Foundation
import HTTPWire
import PlayService
import Testing

@Suite struct IsolationTests {
  private func mirror(_ isolation: [String: Bool]) throws -> MirrorFolder {
    var settings = PlaySettings()
    for (id, isOn) in isolation { settings.isolation[try #require(GameID(id))] = isOn }
    let mirror = try MirrorFolder(settings)
    try mirror.put("postMessage(1)", "worker.js")
    try mirror.install("other")
    return mirror
  }

  private func isIsolated(_ answer: MirrorFolder.Answer) -> Bool {
    answer.fields["Cross-Origin-Opener-Policy"] == "same-origin"
      && answer.fields["Cross-Origin-Embedder-Policy"] == "require-corp"
      && answer.fields["Cross-Origin-Resource-Policy"] == "same-origin"
  }

  /// Workers and frames need the embedder policy as their page does, and so does what a cache makes of a 304.
  @Test func everyAnswerOfAGameThatNeedsItAsksForIsolation() async throws {
    let mirror = try mirror(["courier": true])
    let page = try await mirror.answer("/play/courier/")
    let tag = try #require(page.fields["ETag"])
    let answers = [
      page, try await mirror.answer("/play/courier/worker.js"),
      try await mirror.answer("/play/courier/", ["If-None-Match": tag]),
      try await mirror.answer("/play/courier/worker.js", ["Range": "bytes=0-1"]),
      try await mirror.answer("/play/courier/worker.js", ["Range": "bytes=99-"]),
      try await mirror.answer("/play/courier/", ["Host": "courier.localhost"]),
      try await mirror.answer("/play/courier/nothing.js"),
    ]
    #expect(answers.map(\.status) == [200, 200, 304, 206, 416, 404, 404])
    for answer in answers { #expect(isIsolated(answer), "\(answer.status)") }
  }

  @Test func nobodyElseIsIsolated() async throws {
    let mirror = try mirror(["courier": true, "other": false])
    for target in ["/", "/play/other/", "/nothing"] {
      let answer = try await mirror.answer(target)
      #expect(!answer.fields.lines.contains { $0.name.hasPrefix("Cross-Origin") }, "\(target)")
    }
  }
}
