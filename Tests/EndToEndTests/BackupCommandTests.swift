import Foundation
import TestSupport
import Testing

/// `game-depot backup`, `restore` and `gc`, as they are run.
@Suite struct BackupCommandTests {
  private let workshop: Workshop
  private var backup: String { "\(workshop.folder.path)/backup" }
  private var restored: String { "\(workshop.folder.path)/restored" }

  init() throws { workshop = try Workshop() }

  private func publish(_ game: String, _ version: String, to url: String) throws -> Programs.Result {
    let zip = try workshop.zip("\(game)-\(version)", ["index.html": "\(game) \(version)"])
    return try workshop.publish(zip, game, version, to: url)
  }

  @Test func aBackupMadeWhileGamesArePublishedIsRestoredWhole() throws {
    let server = try workshop.serve()
    for game in ["alpha", "beta"] { #expect(try publish(game, "1.0", to: server.url).status == 0) }
    let taken = Programs.process("game-depot", ["backup", backup, "--data", workshop.depot])
    try taken.run()
    var published = 0
    while taken.isRunning {
      published += 1
      #expect(try publish("gamma", "1.\(published)", to: server.url).status == 0)
    }
    #expect(taken.terminationStatus == 0)
    let done = try Programs.run("game-depot", "restore", backup, "--data", restored)
    #expect(done.status == 0 && done.output.hasPrefix("restored "), "\(done)")
    let verified = try Programs.run("game-depot", "verify", "--data", restored)
    #expect(verified.status == 0 && verified.errors == "", "\(verified)")
    let again = try RunningServer(
      "game-depot", ["serve", "--data", restored, "--listen", "127.0.0.1:0", "--disk-floor", "0"],
      in: workshop.folder.path)
    #expect(try workshop.sync(server.url).status == 0)
    // The mirror of the lost depot goes on with the restored one.
    #expect(try workshop.sync(again.url).status == 0)
    #expect(workshop.installed("alpha/current/index.html") == "alpha 1.0")
    #expect(try publish("alpha", "1.1", to: again.url).status == 0)
    #expect(try workshop.sync(again.url).status == 0)
    #expect(workshop.installed("alpha/current/index.html") == "alpha 1.1")
  }

  @Test func commandsSayWhatTheyDidAndWhatIsWrong() throws {
    let server = try workshop.serve()
    #expect(try publish("alpha", "1.0", to: server.url).status == 0)
    #expect(try publish("beta", "1.0", to: server.url).status == 0)
    let made = try Programs.run("game-depot", "backup", backup, "--data", workshop.depot)
    #expect(made.status == 0 && made.output.hasPrefix("backed up 2 packages (2 linked), "), "\(made)")
    let twice = try Programs.run("game-depot", "backup", backup, "--data", workshop.depot)
    #expect(twice.status == 73 && twice.errors.contains("is there already"))
    let nothing = try Programs.run("game-depot", "restore", workshop.folder.path, "--data", restored)
    #expect(nothing.status == 66 && nothing.errors.contains("holds no backup"))
    let over = try Programs.run("game-depot", "restore", backup, "--data", workshop.depot)
    #expect(over.status == 73)
    #expect(try Programs.run("game-depot", "backup", backup, "--data", restored).status == 66)

    #expect(try Programs.run("game-depot", "channel", "remove", "beta", "--data", workshop.depot).status == 0)
    let dry = try Programs.run("game-depot", "gc", "--dry-run", "--data", workshop.depot)
    #expect(dry.output.hasPrefix("would remove 1 packages and 0 leftovers of uploads, "))
    let done = try Programs.run("game-depot", "gc", "--data", workshop.depot)
    #expect(done.status == 0 && done.output.hasPrefix("removed 1 packages"), "\(done)")
    #expect(try Programs.run("game-depot", "verify", "--data", workshop.depot).status == 0)
    #expect(try Programs.run("game-depot", "gc", "--data", "\(workshop.folder.path)/none").status == 66)
    // The backup has what was removed.
    #expect(
      try Programs.run("game-depot", "restore", backup, "--data", restored).output.contains("2 packages"))
  }
}
