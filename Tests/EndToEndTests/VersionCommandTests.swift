import Foundation
import TestSupport
import Testing

/// `mirror-sync`'s commands for what stands already.
@Suite struct VersionCommandTests {
  private let workshop: Workshop
  private let server: RunningServer

  /// Versions 1.0 and 2.0 of a game; 2.0 is in use.
  init() throws {
    workshop = try Workshop()
    server = try workshop.serve()
    for version in ["1.0", "2.0"] {
      let zip = try workshop.zip(version, ["index.html": "page \(version)", "img/same.txt": "the same"])
      #expect(try workshop.publish(zip, "courier", version, to: server.url).status == 0)
      #expect(try workshop.sync(server.url).status == 0)
    }
  }

  private func run(_ words: String...) throws -> Programs.Result {
    try Programs.run("mirror-sync", words + ["--dest", workshop.mirror])
  }

  private var page: String? { workshop.installed("courier/current/index.html") }
  private var file: String { "\(workshop.mirror)/games/courier/versions/2.0/index.html" }

  @Test func goesBackAndForthWithoutAServer() throws {
    let back = try run("rollback", "courier")
    #expect(back.status == 0 && back.output.contains("went from 2.0 to 1.0"), "\(back)")
    #expect(page == "page 1.0")
    #expect(try run("status").output.contains("held at 1.0, offered: 2.0"))
    #expect(try workshop.sync(server.url).status == 0)
    #expect(page == "page 1.0")
    let end = try run("rollback", "courier", "--release")
    #expect(end.status == 0 && end.output.contains("not held any more"), "\(end)")
    #expect(try workshop.sync(server.url).status == 0)
    #expect(page == "page 2.0")
    #expect(try run("rollback", "courier", "--to", "1.0").status == 0)
    let unknown = try run("rollback", "courier", "--to", "9")
    #expect(unknown.status == 1 && unknown.errors.contains("kept are 1.0, 2.0"), "\(unknown)")
    #expect(try run("rollback", "nobody").status == 1)
    #expect(try run("rollback", "a/b").status == 64)
    #expect(try run("rollback", "courier", "--to", "1.0", "--release").status == 64)
  }

  @Test func verifyIsSilentWhenAllIsWellAndNamesWhatIsNot() throws {
    for words in [["verify"], ["verify", "--full"]] {
      let sound = try Programs.run("mirror-sync", words + ["--dest", workshop.mirror])
      #expect(sound.status == 0 && sound.output + sound.errors == "", "\(sound)")
    }
    try FileManager.default.removeItem(atPath: file)
    let damaged = try run("verify")
    #expect(damaged.status == 65)
    #expect(damaged.errors.hasPrefix("mirror-sync: games/courier/versions/2.0/index.html: expected 8 bytes"))
    #expect(damaged.errors.hasSuffix("found nothing\n"))
    #expect(!FileManager.default.fileExists(atPath: file))
    let json = try run("verify", "--json")
    #expect(json.status == 65 && json.errors == "")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["sound"] as? Bool == false)
    let mended = try run("verify", "--repair")
    #expect(mended.status == 0 && mended.output.hasPrefix("mended: games/courier"), "\(mended)")
    #expect(page == "page 2.0")
    #expect(try run("verify", "--full").status == 0)
  }

  @Test func fetchesADamagedPackageFromTheServer() throws {
    let package = "\(workshop.mirror)/packages/courier/2.0.zip"
    let whole = try Data(contentsOf: URL(filePath: package))
    var bytes = whole
    bytes[40] ^= 1
    try FileManager.default.removeItem(atPath: package)
    try bytes.write(to: URL(filePath: package))
    #expect(try run("verify").status == 0)
    #expect(try run("verify", "--full").status == 65)
    let alone = try run("verify", "--full", "--repair")
    #expect(alone.status == 65 && alone.errors.contains("--server"), "\(alone)")
    let mended = try run("verify", "--full", "--repair", "--server", server.url)
    #expect(mended.status == 0, "\(mended)")
    #expect(try Data(contentsOf: URL(filePath: package)) == whole)
    #expect(try run("verify", "--full").status == 0)
  }

  @Test func removesAGameUntilTheNextSync() throws {
    let removed = try run("remove", "courier")
    #expect(removed.status == 0 && removed.output.contains("--exclude courier"), "\(removed)")
    #expect(page == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(workshop.mirror)/packages") == [])
    #expect(try run("remove", "courier").status == 1)
    #expect(try workshop.sync(server.url, "--exclude", "courier").status == 0)
    #expect(page == nil)
    #expect(try workshop.sync(server.url).status == 0)
    #expect(page == "page 2.0")
  }

  @Test func keepsNoZipAndSharesNothingWhenAsked() throws {
    #expect(try run("status").output.contains("shares 1 files, 8 B"))
    let zip = try workshop.zip("3.0", ["index.html": "page 3.0", "img/same.txt": "the same"])
    #expect(try workshop.publish(zip, "courier", "3.0", to: server.url).status == 0)
    #expect(try workshop.sync(server.url, "--no-keep-zip", "--no-share", "--keep", "1").status == 0)
    #expect(page == "page 3.0")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(workshop.mirror)/packages/courier") == [])
    #expect(try run("verify", "--full").status == 0)
    let status = try run("status").output
    #expect(status.contains("no zip") && !status.contains("shares"))
    let nothing = try workshop.sync(server.url, "--no-keep-zip", "--no-unpack")
    #expect(nothing.status == 64)
  }
}
