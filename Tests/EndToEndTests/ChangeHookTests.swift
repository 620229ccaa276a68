import Foundation
import TestSupport
import Testing

/// What `mirror-sync` tells others of a run: programs, and Prometheus.
@Suite struct ChangeHookTests {
  private let workshop: Workshop
  private let server: RunningServer
  private var out: String { "\(workshop.folder.path)/out" }
  private var metricsFile: String { "\(workshop.folder.path)/mirror.prom" }

  init() throws {
    workshop = try Workshop()
    server = try workshop.serve()
  }

  private func publish(_ id: String, _ version: String) throws {
    let zip = try workshop.zip("\(id)-\(version)", ["index.html": version])
    #expect(try workshop.publish(zip, id, version, to: server.url).status == 0)
  }

  private func script(_ text: String) throws -> String {
    let path = "\(workshop.folder.path)/hook.sh"
    try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private func lines() -> [String] {
    let text = try? String(contentsOfFile: out, encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init).sorted()
  }

  private func metrics() throws -> String { try String(contentsOfFile: metricsFile, encoding: .utf8) }

  @Test func aProgramIsToldOfEachGameThatChanged() throws {
    let hook = try script(
      #"echo "$1 $H5_CHANGE $H5_GAME_ID $H5_VERSION ${H5_PREVIOUS_VERSION-none} $H5_DEST $(cat "$H5_DEST/games/$H5_GAME_ID/current/index.html")" >> \#(out)"#
    )
    try publish("alpha", "1.0")
    try publish("beta", "2.0")
    let first = try workshop.sync(server.url, "--on-change", "\(hook)  word")
    #expect(first.status == 0 && first.errors == "", "\(first)")
    #expect(
      lines() == [
        "word installed alpha 1.0 none \(workshop.mirror) 1.0",
        "word installed beta 2.0 none \(workshop.mirror) 2.0",
      ])
    try publish("alpha", "1.1")
    #expect(try workshop.sync(server.url, "--on-change", "\(hook) word").status == 0)
    #expect(lines().contains("word updated alpha 1.1 1.0 \(workshop.mirror) 1.1"))
    #expect(lines().count == 3, "what is unchanged is not told")
  }

  @Test func aProgramIsToldOfAGameThatIsNoMore() throws {
    try publish("alpha", "1.0")
    #expect(try workshop.sync(server.url).status == 0)
    let client = try RawClient(port: server.port)
    try client.send(
      "DELETE /games/alpha HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(workshop.token)\r\n\r\n")
    #expect(try client.response().status == 204)
    let hook = try script(
      #"echo "$H5_CHANGE $H5_GAME_ID ${H5_VERSION-none} $H5_PREVIOUS_VERSION" >> \#(out)"#)
    let result = try workshop.sync(server.url, "--delete", "--max-delete", "100%", "--on-change", hook)
    #expect(result.status == 0, "\(result)")
    #expect(lines() == ["removed alpha none 1.0"])
  }

  @Test func aProgramSeesNothingOfOurSettings() throws {
    try publish("alpha", "1.0")
    let hook = try script("env | grep -c MIRROR_SYNC >> \(out); read line; echo \"[$line]\"")
    let result = try Programs.run(
      "mirror-sync", "--server", server.url, "--dest", workshop.mirror, "--on-change", hook,
      environment: ["MIRROR_SYNC_TOKEN": workshop.token])
    #expect(result.status == 0 && lines() == ["0"])
    // What it prints does not come between the lines of our output.
    #expect(result.output == "" && result.errors == "[]\n", "\(result)")
  }

  @Test func aProgramThatFailsIsToldAndHarmsNothing() throws {
    try publish("alpha", "1.0")
    let failing = try workshop.sync(server.url, "--on-change", try script("exit 3"))
    #expect(failing.status == 0)
    #expect(failing.errors == "mirror-sync: alpha: --on-change: exited with 3\n")
    #expect(workshop.installed("alpha/current/index.html") == "1.0")
    try publish("alpha", "1.1")
    let missing = try workshop.sync(server.url, "--on-change", "/nonexistent/hook")
    #expect(missing.status == 0)
    #expect(missing.errors.contains("alpha: --on-change: start /nonexistent/hook: No such file"))
    #expect(try workshop.sync(server.url, "--on-change", " ").status == 64)
  }

  @Test func aSignalEndsTheProgramThatRunsAndTellsOfThoseThatDoNot() throws {
    try publish("alpha", "1.0")
    try publish("beta", "1.0")
    let hook = try script("echo started >> \(out); exec sleep 600")
    let run = try RunningSync(
      ["--server", server.url, "--dest", workshop.mirror, "--on-change", hook, "--progress", "json"],
      in: workshop.folder.path)
    #expect(
      eventually {
        !lines().isEmpty && run.output.components(separatedBy: #""event":"installed""#).count == 3
      })
    #expect([0, 143].contains(run.stop()))
    #expect(run.errors.contains("--on-change: was ended by signal 15"), "\(run.errors)")
    #expect(run.errors.contains("--on-change was not run"), "\(run.errors)")
    #expect(lines() == ["started"])
  }

  @Test func metricsAreWrittenWhetherARunWentWellOrNot() throws {
    try publish("alpha", "1.0")
    #expect(try workshop.sync(server.url, "--metrics-file", metricsFile).status == 0)
    let good = try metrics()
    #expect(good.contains("mirror_sync_games{dest=\"\(workshop.mirror)\",state=\"in-step\"} 1\n"))
    #expect(good.contains("mirror_sync_last_run_exit_code{dest=\"\(workshop.mirror)\"} 0\n"))
    let success = try #require(good.split(separator: "\n").last { $0.contains("last_success") })

    server.stop()
    let failed = try workshop.sync(server.url, "--metrics-file", metricsFile, "--retries", "0")
    #expect(failed.status == 69)
    let bad = try metrics()
    #expect(bad.contains("mirror_sync_last_run_exit_code{dest=\"\(workshop.mirror)\"} 69\n"))
    #expect(bad.contains(success), "the last success is still known")
    // Everybody may read it: node_exporter is somebody else.
    let attributes = try FileManager.default.attributesOfItem(atPath: metricsFile)
    #expect(attributes[.posixPermissions] as? Int == 0o644)
  }

  @Test func metricsThatCannotBeWrittenAreTold() throws {
    try publish("alpha", "1.0")
    let result = try workshop.sync(server.url, "--metrics-file", "\(workshop.folder.path)/none/x.prom")
    #expect(result.status == 0)
    #expect(result.errors.contains("--metrics-file cannot be written: open"), "\(result)")
  }

  @Test func aWatchedMirrorHearsOfAChangeLongBeforeItWouldLookAgain() throws {
    try publish("alpha", "1.0")
    let watch = try RunningSync(
      ["--server", server.url, "--dest", workshop.mirror, "--watch", "--watch-interval", "1h"],
      in: workshop.folder.path)
    #expect(eventually { workshop.installed("alpha/current/index.html") == "1.0" })
    for version in ["1.1", "1.2"] {
      try publish("alpha", version)
      #expect(eventually { workshop.installed("alpha/current/index.html") == version })
    }
    #expect(watch.stop() == 143)
  }

  @Test func aServerThatStopsAnswersThoseWhoWaitForAChange() throws {
    let client = try RawClient(port: server.port)
    // In one write: once the first is answered, the second is at work.
    try client.send(
      "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /games?since=0&wait=300 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.response().status == 200)
    server.stop()
    let answer = try client.response()
    #expect(answer.status == 200)
    #expect(answer.text.contains(#""changed":[]"#))
  }

  @Test func aWatchedMirrorFollowsUntilASignalEndsIt() throws {
    try publish("alpha", "1.0")
    let watch = try RunningSync(
      [
        "--server", server.url, "--dest", workshop.mirror, "--watch", "--watch-interval", "1s", "--retries",
        "0",
      ],
      in: workshop.folder.path)
    #expect(eventually { workshop.installed("alpha/current/index.html") == "1.0" })
    try publish("alpha", "1.1")
    #expect(eventually { workshop.installed("alpha/current/index.html") == "1.1" })
    // While the server is away it stays, and says so.
    server.stop()
    #expect(eventually { watch.errors.contains("mirror-sync: cannot reach") })
    #expect(watch.stop() == 143)
  }
}

/// A sync that goes on until it is stopped.
private final class RunningSync {
  private let process: Process
  private let errorFile: String
  private let outputFile: String

  init(_ words: [String], in folder: String) throws {
    errorFile = "\(folder)/sync-\(UUID()).log"
    try Data().write(to: URL(filePath: errorFile))
    outputFile = "\(folder)/sync-\(UUID()).out"
    try Data().write(to: URL(filePath: outputFile))
    process = Programs.process("mirror-sync", words)
    process.standardOutput = FileHandle(forWritingAtPath: outputFile)
    process.standardError = FileHandle(forWritingAtPath: errorFile)
    try process.run()
  }

  var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }
  var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

  func stop() -> Int32 {
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 1000
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
