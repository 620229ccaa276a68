import DepotModel
import TestSupport
import Testing

@testable import MirrorClient

@Suite struct VerifyTests {
  private func bench() async throws -> Bench {
    let bench = try Bench()
    for (version, page) in [("1", "one"), ("2", "two")] {
      let zip = ZipBuilder.zip([
        "index.html": .init(Array(page.utf8)), "js/a.js": "a", "img/big/0.png": .repeating(7, count: 300_000),
        "saves/": "",
      ])
      try bench.depot.publish("game", version, zip: zip)
      try bench.depot.publish("other", version, page)
      try await bench.sync()
    }
    return bench
  }

  private let folder = "games/game/versions/2"

  @Test(arguments: [false, true]) func aMirrorThatIsAsItWasInstalledIsSound(full: Bool) async throws {
    let bench = try await bench()
    let report = try await bench.verify(full: full)
    #expect(report.exitCode == 0 && report.damages == [] && report.unlisted == [])
    #expect(report.games == 2 && report.versions == 4 && report.files == 10)
    #expect(full ? report.bytes > 600_000 : report.bytes == 0)
    #expect(report.summary == "2 games, 4 versions, 10 files: sound")
  }

  /// What is done to a mirror, and the lines a quick look has for it.
  enum Harm: String, CaseIterable, Sendable {
    case missing, short, link, asFolder, extra, extraFolder, noFolder, noVersion, noPackage, shortPackage
    case current, touched
  }

  private func harm(_ bench: Bench, _ harm: Harm) throws -> [String] {
    let base = "mirror/\(folder)"
    switch harm {
    case .missing:
      try bench.folder.remove("\(base)/js/a.js")
      return ["\(folder)/js/a.js"]
    case .short:
      try bench.folder.remove("\(base)/js/a.js")
      try bench.folder.write("", to: "\(base)/js/a.js")
      return ["\(folder)/js/a.js"]
    case .link:
      try bench.folder.remove("\(base)/js/a.js")
      try bench.folder.link("../index.html", at: "\(base)/js/a.js")
      return ["\(folder)/js/a.js"]
    case .asFolder:
      try bench.folder.remove("\(base)/js/a.js")
      try bench.folder.write("x", to: "\(base)/js/a.js/x")
      return ["\(folder)/js/a.js"]
    case .extra:
      try bench.folder.write("x", to: "\(base)/js/b.js")
      return ["\(folder)/js/b.js"]
    case .extraFolder:
      try bench.folder.write("x", to: "\(base)/more/and/more.js")
      return ["\(folder)/more"]
    case .noFolder:
      try bench.folder.remove("\(base)/saves")
      return ["\(folder)/saves"]
    case .noVersion:
      try bench.folder.remove(base)
      return ["img/big/0.png", "index.html", "js/a.js", "saves"].map { "\(folder)/\($0)" }
    case .noPackage:
      try bench.folder.remove("mirror/packages/game/2.zip")
      return ["packages/game/2.zip"]
    case .shortPackage:
      try bench.folder.remove("mirror/packages/game/2.zip")
      try bench.folder.write("x", to: "mirror/packages/game/2.zip")
      return ["packages/game/2.zip"]
    case .current:
      try bench.folder.remove("mirror/games/game/current")
      try bench.folder.link("versions/1", at: "mirror/games/game/current")
      return ["games/game/current"]
    case .touched:
      // The same length, another time: it is read then.
      try bench.folder.remove("\(base)/js/a.js")
      try bench.folder.write("b", to: "\(base)/js/a.js")
      return ["\(folder)/js/a.js"]
    }
  }

  @Test(arguments: Harm.allCases) func everyHarmIsFoundMendedAndFoundNoMore(harm: Harm) async throws {
    let bench = try await bench()
    let sound = bench.folder.tree("mirror")
    let lines = try self.harm(bench, harm)
    let harmed = bench.folder.tree("mirror/games")
    let found = try await bench.verify()
    #expect(found.damages.map(\.path) == lines && found.exitCode == 65)
    // Nothing is touched without being told to.
    #expect(bench.folder.tree("mirror/games") == harmed)
    let mended = try await bench.verify(repairs: true)
    #expect(mended.exitCode == 0 && mended.damages == [] && mended.failures == [])
    #expect(mended.repaired.map(\.path) == lines)
    for full in [false, true] { #expect(try await bench.verify(full: full).damages == []) }
    let tree = bench.folder.tree("mirror").filter { !$0.key.hasPrefix("mirror.") }
    #expect(tree == sound.filter { !$0.key.hasPrefix("mirror.") })
    #expect(bench.leftovers("game") == [])
  }

  @Test func onlyADigestFindsWhatRotted() async throws {
    let bench = try await bench()
    try bench.folder.rot("mirror/\(folder)/img/big/0.png")
    try bench.folder.rot("mirror/packages/other/1.zip")
    #expect(try await bench.verify().damages == [])
    let found = try await bench.verify(full: true)
    // Versions 1 and 2 share the picture.
    #expect(
      found.damages.map(\.path) == [
        "\(folder)/img/big/0.png", "games/game/versions/1/img/big/0.png", "packages/other/1.zip",
      ])
    #expect(found.damages.allSatisfy { $0.expected.contains("SHA-256") && $0.actual.hasPrefix("SHA-256") })
    bench.fetcher.forget()
    let mended = try await bench.verify(full: true, repairs: true)
    #expect(mended.exitCode == 0 && mended.repaired.count == 3)
    #expect(bench.fetcher.fetched == ["other 1"])
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func aTimeThatChangedAloneIsNoDamage() async throws {
    let bench = try await bench()
    let name = "mirror/\(folder)/js/a.js"
    try bench.folder.remove(name)
    try bench.folder.write("a", to: name)
    let report = try await bench.verify()
    #expect(report.damages == [] && report.bytes == 1)
  }

  @Test func filesAreMendedFromTheKeptPackageWithoutANetwork() async throws {
    let bench = try await bench()
    try bench.folder.remove("mirror/\(folder)")
    bench.fetcher.forget()
    let report = try await bench.verify(repairs: true, fetches: false)
    #expect(report.exitCode == 0 && report.repaired.count == 4)
    #expect(bench.fetcher.fetched == [] && bench.page("game") == "two")
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func withoutAServerADamagedPackageStaysAndIsTold() async throws {
    let bench = try await bench()
    try bench.folder.rot("mirror/packages/game/2.zip")
    try bench.folder.remove("mirror/\(folder)/js/a.js")
    let report = try await bench.verify(full: true, repairs: true, fetches: false)
    #expect(report.exitCode == 65)
    #expect(report.damages.map(\.path) == ["packages/game/2.zip"])
    #expect(report.repaired.map(\.path) == ["\(folder)/js/a.js"])
    #expect(report.failures.count == 1 && report.failures[0].contains("--server"))
  }

  @Test func aPackageThatCannotBeFetchedStaysInItsPlace() async throws {
    let bench = try await bench()
    try bench.folder.rot("mirror/packages/game/2.zip")
    bench.fetcher.fail("game", with: .download(reason: "status 404"))
    let report = try await bench.verify(full: true, repairs: true)
    #expect(report.exitCode == 65 && report.failures == ["game 2: status 404"])
    #expect(bench.packages("game") == ["1.zip", "2.zip"] && bench.leftovers("game") == [])
  }

  /// The damage in the package lies in the very file that is to be mended from it.
  @Test func aFileWhosePackageIsDamagedToIsMendedFromAFetchedOne() async throws {
    let bench = try await bench()
    try bench.folder.remove("mirror/\(folder)/img/big/0.png")
    try bench.folder.rot("mirror/packages/game/2.zip")
    let report = try await bench.verify(repairs: true)
    #expect(report.exitCode == 0)
    #expect(try await bench.verify(full: true).damages == [])
  }

  @Test func withoutKeptPackagesTheyAreFetchedForAMendingAndGoAgain() async throws {
    let bench = try Bench()
    let options = Bench.options(keepsPackages: false)
    try bench.depot.publish("game", "1", "one", extra: 2)
    try await bench.sync(options)
    #expect(try await bench.verify(full: true).damages == [])
    try bench.folder.remove("mirror/games/game/versions/1/img/1.txt")
    #expect(try await bench.verify(repairs: true, fetches: false).exitCode == 65)
    bench.fetcher.forget()
    let report = try await bench.verify(repairs: true)
    #expect(report.exitCode == 0 && bench.fetcher.fetched == ["game 1"] && report.bytesFetched > 0)
    #expect(bench.packages("game") == [] && bench.leftovers("game") == [])
  }

  @Test func mendsEncryptedFilesWithTheirPassword() async throws {
    let bench = try Bench()
    let zip = ZipBuilder([
      ZipEntry("index.html", "sealed").encrypted(.aes(bits: 256, version: 2), password: "geheim"),
      ZipEntry("js/a.js", "let a").encrypted(.aes(bits: 256, version: 2), password: "geheim"),
    ]).build()
    let passwords = try PackagePasswords(file: Array("geheim".utf8))
    try bench.depot.publish(
      "game", "1", zip: zip,
      facts: UnpackingFacts(
        root: "", namesEncoding: "utf-8", unpackedSize: 1000, fileCount: 2, isEncrypted: true))
    try await bench.sync(Bench.options(passwords: passwords))
    try bench.folder.remove("mirror/games/game/versions/1/js/a.js")
    let without = try await bench.verify(repairs: true)
    #expect(without.exitCode == 65 && without.failures.count == 1)
    #expect(try await bench.verify(repairs: true, passwords: passwords).exitCode == 0)
    #expect(bench.folder.text("mirror/games/game/current/js/a.js") == "let a")
  }

  @Test func looksOnlyAtTheGamesItIsTold() async throws {
    let bench = try await bench()
    try bench.folder.remove("mirror/\(folder)/js/a.js")
    #expect(try await bench.verify(only: ["other"]).exitCode == 0)
    #expect(try await bench.verify(only: ["game"]).exitCode == 65)
    await #expect(throws: MirrorError.notInstalled("nobody")) { try await bench.verify(only: ["nobody"]) }
  }

  @Test func anExtraWhoseNameIsNoTextIsTold() async throws {
    let bench = try await bench()
    try bench.folder.writeNoText(in: "mirror/\(folder)")
    let report = try await bench.verify()
    #expect(report.damages.map(\.path) == [folder])
    #expect(report.damages.first?.actual.contains("no text") == true)
  }

  @Test func tellsStatusHowItEnded() async throws {
    let bench = try await bench()
    #expect(try bench.mirror().status().lastVerify == nil)
    try bench.folder.remove("mirror/\(folder)/js/a.js")
    _ = try await bench.verify()
    let status = try bench.mirror().status()
    #expect(status.lastVerify?.exitCode == 65)
    #expect(
      status.text.contains(
        "last verify 2027-01-15T08:00:00Z, exit 65: 2 games, 4 versions, 10 files: 1 damaged"))
    #expect(status.json.contains("\"lastVerify\""))
  }

  @Test func isOneJSONObjectForPrograms() async throws {
    let bench = try await bench()
    try bench.folder.remove("mirror/\(folder)/js/a.js")
    let json = try await bench.verify().json
    #expect(
      json.contains("\"path\":\"games\\/game\\/versions\\/2\\/js\\/a.js\"")
        || json.contains("\"path\":\"\(folder)/js/a.js\""))
    #expect(json.contains("\"sound\":false") && json.hasSuffix("}\n"))
  }

  @Test func thereIsNoneWhereNothingWasSynced() async throws {
    let bench = try Bench()
    await #expect(throws: MirrorError.noMirror(path: bench.destination)) { try await bench.verify() }
    #expect(!bench.folder.exists("mirror"))
  }
}
