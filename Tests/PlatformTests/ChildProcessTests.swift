import Platform
import TestSupport
import Testing

@Suite struct ChildProcessTests {
  private static let path = ["PATH": "/usr/bin:/bin"]

  private func end(_ words: [String], _ environment: [String: String] = path) throws -> ChildProcess.End? {
    try ChildProcess(words, environment: environment).wait(atMost: .seconds(60))
  }

  @Test func tellsHowAProgramEnded() throws {
    #expect(try end(["true"]) == .exited(0))
    #expect(try end(["sh", "-c", "exit 7"]) == .exited(7))
    #expect(try end(["sh", "-c", "kill -KILL $$"]) == .killed(9))
  }

  @Test func passesWordsAndVariablesAsTheyAre() throws {
    let folder = try TemporaryFolder()
    let out = folder.path + "/out"
    let script = "printf '%s|' \"$@\" > \"$OUT\"; env >> \"$OUT\""
    #expect(
      try end(["sh", "-c", script, "sh", "a b", "$HOME", ""], ["PATH": "/usr/bin:/bin", "OUT": out])
        == .exited(0))
    let text = String(decoding: try File(path: out, mode: .read).bytes(at: 0, count: 4096), as: UTF8.self)
    #expect(text.hasPrefix("a b|$HOME||"))
    #expect(text.contains("OUT=\(out)\n") && !text.contains("HOME="))
  }

  @Test func readsNothingAndTakesItsSignals() throws {
    Signals.block([.hangUp])
    #expect(try end(["sh", "-c", "read line; test -z \"$line\""]) == .exited(0))
    #expect(try end(["sh", "-c", "kill -HUP $$; exit 1"]) == .killed(1))
  }

  @Test func waitsNoLongerThanItMay() throws {
    let child = try ChildProcess(["sleep", "600"], environment: Self.path)
    #expect(child.wait(atMost: .milliseconds(10)) == nil)
    child.terminate()
    #expect(child.wait(atMost: .seconds(60)) == .killed(15))
    // Told again, not waited for again.
    #expect(child.wait(atMost: .zero) == .killed(15))
  }

  @Test func endsAllThatTheProgramStarted() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path + "/pipe"
    #expect(try end(["mkfifo", pipe]) == .exited(0))
    let child = try ChildProcess(
      ["sh", "-c", "sleep 600 > \"\(pipe)\" & sleep 600"], environment: Self.path)
    // Opens once the grandchild has, and ends when the last that had it open is gone.
    let reader = try ChildProcess(["cat", pipe], environment: Self.path)
    #expect(reader.wait(atMost: .milliseconds(200)) == nil)
    child.kill()
    #expect(child.wait(atMost: .seconds(60)) == .killed(9))
    #expect(reader.wait(atMost: .seconds(60)) == .exited(0))
  }

  @Test func saysWhatCannotBeStarted() throws {
    for words in [[], ["/nonexistent/program"], ["no-such-program-anywhere"]] {
      do {
        _ = try ChildProcess(words, environment: Self.path)
        Issue.record("\(words) started")
      } catch {
        #expect(error.isNotFound, "\(error)")
      }
    }
  }
}
