import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import Platform
import ReadAPI
import TestSupport
import Testing

/// The depot as the commands use it.
@Suite struct DepotTests {
  private func write(_ bytes: [UInt8], to path: String) throws -> File {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try File(path: path, mode: .read)
  }

  private func fields(_ id: String, _ version: String) throws -> UploadFields {
    try UploadFields(["gameId": id, "h5Version": version])
  }

  @Test func publishesAFileAndLeavesItWhereItIs() async throws {
    let fixture = try DepotFixture()
    let zip = Samples.large(3 << 20)
    let source = "\(fixture.path)/in/a.zip"
    let file = try write(zip, to: source)
    let publication = try fixture.depot.publish(file, as: fields("a", "1"), actor: nil)
    #expect(publication.isNew)
    #expect(publication.release.sha256.hex == Samples.sha256(zip))
    #expect(FileManager.default.contents(atPath: source) == Data(zip))
    #expect(try await fixture.ask("/games/a/package.zip").bytes == zip)
    #expect(try !fixture.depot.publish(file, as: fields("a", "1"), actor: nil).isNew)
  }

  @Test func refusesFilesAsItRefusesUploads() throws {
    let fixture = try DepotFixture { $0.maxUpload = 100_000 }
    let file = try write(Samples.game(), to: "\(fixture.path)/in/a.zip")
    _ = try fixture.depot.publish(file, as: fields("a", "1"), actor: nil)
    let other = try write(Samples.game("two"), to: "\(fixture.path)/in/b.zip")
    func failure(_ file: File, _ fields: UploadFields, _ depot: Depot? = nil) -> PublishError? {
      do throws(PublishError) {
        _ = try (depot ?? fixture.depot).publish(file, as: fields, actor: nil)
        return nil
      } catch { return error }
    }
    guard case .versionExists(let there)? = failure(other, try fields("a", "1")) else {
      Issue.record("published over a version")
      return
    }
    #expect(there.hex == Samples.md5(Samples.game()))
    guard case .idCaseConflict? = failure(other, try fields("A", "2")) else {
      Issue.record("took another spelling")
      return
    }
    var announced = try fields("a", "2")
    announced.md5 = there
    guard case .checksum? = failure(other, announced) else {
      Issue.record("took another checksum")
      return
    }
    let large = try write(Samples.large(200_000), to: "\(fixture.path)/in/c.zip")
    guard case .tooLarge(limit: 100_000)? = failure(large, try fields("c", "1")) else {
      Issue.record("took too much")
      return
    }
    let broken = try write(Array("no zip".utf8), to: "\(fixture.path)/in/d.zip")
    guard case .refused(let findings)? = failure(broken, try fields("d", "1")) else {
      Issue.record("took what is no zip")
      return
    }
    #expect(!findings.isEmpty)
    let full = try DepotFixture(reopening: fixture) { $0.diskFloor = 1 << 60 }
    guard case .diskFloor(let needed, let available)? = failure(other, try fields("e", "1"), full.depot)
    else {
      Issue.record("went below the floor")
      return
    }
    #expect(needed > available)
    #expect(fixture.names(in: "ingest").isEmpty)
    for error in [failure(other, try fields("a", "1")), failure(broken, try fields("d", "1"))] {
      let text = try #require(error?.description)
      #expect(!text.isEmpty && !text.contains("\n"))
    }
  }

  @Test func sweepsLeftoversUnlessSomebodyPublishes() throws {
    let fixture = try DepotFixture()
    _ = try write([1, 2, 3], to: "\(fixture.path)/ingest/left.zip")
    _ = try write([1, 2, 3], to: "\(fixture.path)/ingest/folder/left.zip")
    let lock = try File(path: "\(fixture.path)/publish.lock", mode: .readWrite)
    #expect(try lock.tryLock(.shared))
    #expect(try fixture.depot.sweep() == nil)
    #expect(fixture.names(in: "ingest").count == 2)
    try lock.unlock()
    #expect(try fixture.depot.sweep() == 2)
    #expect(fixture.names(in: "ingest").isEmpty)
    #expect(try fixture.depot.sweep() == 0)
  }

  @Test func letsOnlyOneServe() throws {
    let fixture = try DepotFixture()
    var lock = try fixture.depot.lockForServing()
    #expect(lock != nil)
    let other = try DepotFixture(reopening: fixture)
    #expect(try other.depot.lockForServing() == nil)
    lock = nil
    #expect(try other.depot.lockForServing() != nil)
  }

  @Test func opensOnlyWhatIsThereWhenAskedTo() throws {
    #expect(throws: DepotError.self) {
      try Depot(
        path: "\(NSTemporaryDirectory())/no-depot-\(UUID().uuidString)", creating: false, settings: .standard)
    }
    let fixture = try DepotFixture()
    let empty = "\(fixture.path)/empty"
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    #expect(throws: DepotError.self) { try Depot(path: empty, creating: false, settings: .standard) }
    _ = try Depot(path: fixture.path, creating: false, settings: .standard)
    #expect(throws: DepotError.self) {
      try Depot(path: "/proc/nothing/here", creating: true, settings: .standard)
    }
  }

  @Test func aNewDepotIsItsOwnersAlone() throws {
    let fixture = try DepotFixture()
    let path = "\(fixture.path)/new"
    _ = try Depot(path: path, creating: true, settings: .standard)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func readsWhatToImportFromTheNames() throws {
    let fixture = try DepotFixture()
    let folder = "\(fixture.path)/import"
    for name in [
      "deep-courier-1.0.0.zip", "maze-v2-beta.zip", "word-final.zip", "chess/2.0+b.zip", "chess/1.0.zip",
      "nothyphen.zip",
      "notes.txt", "chess/readme.md", "-bad-1.zip", "bad id/1.zip",
    ] {
      _ = try write([1], to: "\(folder)/\(name)")
    }
    let plan = try ImportPlan(folder: folder)
    #expect(
      plan.candidates.map { "\($0.gameID) \($0.version) \($0.path)" } == [
        "chess 1.0 chess/1.0.zip", "chess 2.0+b chess/2.0+b.zip", "deep-courier 1.0.0 deep-courier-1.0.0.zip",
        "maze v2-beta maze-v2-beta.zip", "word final word-final.zip",
      ])
    #expect(plan.unreadable.sorted() == ["-bad-1.zip", "bad id/1.zip", "nothyphen.zip"])
    #expect(throws: DepotError.self) { try ImportPlan(folder: "\(folder)/none") }
  }

  @Test func verifiesEveryPackageAndSetsDamageAside() async throws {
    let fixture = try DepotFixture()
    let packages = ["sound", "bent", "short", "lost"].map { ($0, Samples.game($0)) }
    for (id, zip) in packages { try await fixture.publish("gameId=\(id)&h5Version=1", zip) }
    #expect(try fixture.depot.verify(repairing: false).damages.isEmpty)
    func path(_ zip: [UInt8]) -> String {
      let hex = Samples.sha256(zip)
      return "\(fixture.path)/blobs/sha256/\(hex.prefix(2))/\(hex)"
    }
    let (bent, short, lost) = (packages[1].1, packages[2].1, packages[3].1)
    for zip in [bent, short] {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path(zip))
    }
    try Data([0] + bent.dropFirst()).write(to: URL(fileURLWithPath: path(bent)))
    try Data(short.dropLast()).write(to: URL(fileURLWithPath: path(short)))
    try FileManager.default.removeItem(atPath: path(lost))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path(packages[0].1))

    let report = try fixture.depot.verify(repairing: false)
    #expect(report.packages == 3)
    #expect(report.damages.map(\.gameID.text) == ["bent", "short", "lost"])
    #expect(report.damages.map(\.isSetAside) == [false, false, false])
    guard report.damages.count == 3, case .digest = report.damages[0].kind,
      case .size = report.damages[1].kind,
      case .missing = report.damages[2].kind
    else {
      Issue.record("\(report.damages)")
      return
    }
    let repaired = try fixture.depot.verify(repairing: true)
    #expect(repaired.damages.map(\.isSetAside) == [true, true, false])
    let attributes = try FileManager.default.attributesOfItem(atPath: path(packages[0].1))
    #expect(attributes[.posixPermissions] as? Int == 0o444)
    let other = try DepotFixture(reopening: fixture)
    #expect(try await other.ask("/games/bent/package.zip").status == 500, "better nothing than wrong bytes")
    #expect(try await other.publish("gameId=bent&h5Version=1", bent).status == 200)
    #expect(try await other.ask("/games/bent/package.zip").bytes == bent)
    #expect(try fixture.depot.verify(repairing: false).damages.map(\.gameID.text) == ["short", "lost"])
    #expect(try fixture.depot.verify(repairing: false, isCancelled: { true }).packages == 0)
  }

  @Test func keepsABoundedNumberOfPackagesOpen() async throws {
    let fixture = try DepotFixture { $0.openPackages = 8 }
    for number in 0..<40 {
      try await fixture.publish("gameId=g\(number)&h5Version=1", Samples.game("\(number)"))
    }
    for number in 0..<40 {
      #expect(try await fixture.ask("/games/g\(number)/package.zip").bytes == Samples.game("\(number)"))
    }
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix("\(fixture.path)/blobs/sha256/") == true
        && target?.split(separator: "/").last?.count == 64
    }
    #expect(open.count <= 24)
  }
}

@Suite struct PublicURLTests {
  @Test(arguments: [
    ("https://games.example", "https://games.example"),
    ("HTTP://Games.Example:8080/", "http://games.example:8080"),
    ("https://games.example/depot//", "https://games.example/depot"),
    (
      "http://[2001:db8::1]/a-b_c~%41",
      "http://[2001:db8::1]/a-b_c~%41"
    ),
  ])
  func readsAnAddress(text: String, expected: String) {
    #expect(PublicURL(text)?.description == expected)
  }

  @Test(arguments: [
    "", "games.example", "ftp://games.example", "https://", "https:///path", "https://user@games.example",
    "https://games.example:99999", "https://games.example:", "https://games.example:x",
    "https://games.example?q",
    "https://games.example/#a", "https://[::1", "https://[zz]", "https://a b",
    "https://games.example/\r\nX: y",
  ])
  func refusesWhatIsNoAddress(text: String) {
    #expect(PublicURL(text) == nil)
  }
}
