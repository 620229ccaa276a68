import HTTPWire
import PlayService
import TestSupport
import Testing

/// What of a mirror's answers is kept, for how long, and who waits for another one.
@Suite struct DepotDeskChangeTests {
  private let folder: TemporaryFolder
  private let catalogue: ChangingCatalogue
  private let mirror: MirrorFolder

  init() throws {
    folder = try TemporaryFolder()
    var scripted = ScriptedCatalogue()
    try scripted.add("a", "1.0", in: folder.path)
    catalogue = ChangingCatalogue(scripted)
    mirror = try MirrorFolder(catalogue: catalogue)
  }

  @Test func asksTheRecordOnceForWhatIsAskedAgain() async throws {
    let first = try await mirror.answer("/games")
    let asked = catalogue.questions
    let again = try await mirror.answer("/games")
    #expect(again.bytes == first.bytes && again.fields["ETag"] == first.fields["ETag"])
    #expect(try await mirror.answer("/games", method: "HEAD").status == 200)
    #expect(try await mirror.answer("/games", ["If-None-Match": first.fields["ETag"] ?? ""]).status == 304)
    #expect(catalogue.questions == asked)
    _ = try await mirror.answer("/games", ["Host": "127.0.0.1:8081"])
    #expect(catalogue.questions > asked, "links name the host that was asked")
    for target in ["/games/a", "/games/a/check", "/games/a/manifest", "/games/a/package.zip"] {
      _ = try await mirror.answer(target)
      let asked = catalogue.questions
      _ = try await mirror.answer(target)
      #expect(catalogue.questions == asked, "\(target)")
    }
  }

  @Test func tellsOfAChangeWithTheNextRequest() async throws {
    _ = try await mirror.answer("/games")
    _ = try await mirror.answer("/games/a/package.zip")
    try catalogue.change { try $0.add("b", "1.0", in: folder.path) }
    #expect(try await mirror.answer("/games").body.contains("\"gameId\":\"b\""))
    try catalogue.change { try $0.remove("a") }
    #expect(try await mirror.answer("/games/a/package.zip").status == 404)
  }

  @Test func keepsNothingWhereChangesDoNotShow() async throws {
    catalogue.showChanges(false)
    _ = try await mirror.answer("/games")
    try catalogue.change { try $0.add("b", "1.0", in: folder.path) }
    #expect(try await mirror.answer("/games").body.contains("\"gameId\":\"b\""))
  }

  @Test func neverKeepsWhetherItIsReady() async throws {
    #expect(try await mirror.answer("/readyz").status == 200)
    let asked = catalogue.questions
    #expect(try await mirror.answer("/readyz").status == 200)
    #expect(catalogue.questions > asked)
  }

  @Test func aWaitEndsWithTheChange() async throws {
    async let answer = mirror.answer("/games?since=1&wait=60")
    // Looks once, finds nothing, and waits.
    while catalogue.questions < 2 { await Task.yield() }
    try catalogue.change { try $0.add("b", "1.0", in: folder.path) }
    let done = Task { [mirror] in
      while !Task.isCancelled {
        mirror.handler.tick()
        await Task.yield()
      }
    }
    let told = try await answer
    done.cancel()
    #expect(told.status == 200 && told.body.contains("\"gameId\":\"b\""))
  }

  @Test func aWaitForWhatIsThereAlreadyIsNone() async throws {
    #expect(try await mirror.answer("/games?since=0&wait=60").body.contains("\"gameId\":\"a\""))
  }

  @Test func aServerThatStopsLetsNobodyWait() async throws {
    mirror.handler.endWaits()
    let told = try await mirror.answer("/games?since=1&wait=60")
    #expect(told.status == 200 && told.body.contains("\"changed\":[]"))
  }
}
