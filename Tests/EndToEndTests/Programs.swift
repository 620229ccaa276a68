import Foundation
import Testing

/// The two programs as they were built beside these tests, run as an operator runs them.
enum Programs {
  /// How a run ended.
  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  static func path(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

  /// Runs a program to its end.
  static func run(_ name: String, _ words: String..., environment: [String: String] = [:]) throws -> Result {
    try run(name, words, environment: environment)
  }

  static func run(_ name: String, _ words: [String], environment: [String: String] = [:]) throws -> Result {
    let process = process(name, words, environment)
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let errorText = Text()
    let reader = Thread { errorText.set(errors.fileHandleForReading.readDataToEndOfFile()) }
    reader.start()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: text, errors: errorText.wait())
  }

  /// `prelude` is run by a shell in whose place the program comes: limits, masks, descriptors, variables.
  static func process(
    _ name: String, _ words: [String], _ environment: [String: String] = [:], after prelude: String? = nil
  ) -> Process {
    let process = Process()
    if let prelude {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "\(prelude); exec \"$0\" \"$@\"", path(name)] + words
    } else {
      process.executableURL = URL(filePath: path(name))
      process.arguments = words
    }
    process.standardInput = FileHandle.nullDevice
    var variables = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("GAME_DEPOT_") && !$0.key.hasPrefix("MIRROR_SYNC_")
    }
    variables["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = variables.merging(environment) { $1 }
    return process
  }

  /// What a thread read from a pipe.
  private final class Text: @unchecked Sendable {
    private let condition = NSCondition()
    private var data: Data?

    func set(_ data: Data) {
      condition.withLock { self.data = data }
      condition.signal()
    }

    func wait() -> String {
      condition.lock()
      defer { condition.unlock() }
      while data == nil { condition.wait() }
      return String(decoding: data ?? Data(), as: UTF8.self)
    }
  }
}

/// A program of ours that serves until it is stopped.
final class RunningServer {
  let process: Process
  /// Where it listens, in the order of its words.
  let addresses: [String]
  private let errorFile: String

  /// Starts it and waits for `count` lines `listening on …`.
  init(
    _ name: String, _ words: [String], in folder: String, listeners count: Int = 1,
    after prelude: String? = nil,
    input: FileHandle = .nullDevice
  ) throws {
    errorFile = "\(folder)/\(name)-\(UUID()).log"
    try Data().write(to: URL(filePath: errorFile))
    let output = Pipe()
    process = Programs.process(name, words, after: prelude)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errorFile)
    try process.run()
    var text = ""
    while text.utf8.count(where: { $0 == 0x0a }) < count {
      let piece = output.fileHandleForReading.availableData
      if piece.isEmpty { break }
      text += String(decoding: piece, as: UTF8.self)
    }
    let lines = text.split(separator: "\n").prefix(count)
    guard lines.count == count, lines.allSatisfy({ $0.hasPrefix("listening on ") }) else {
      process.terminate()
      process.waitUntilExit()
      throw StartFailure(text: text, status: process.terminationStatus)
    }
    addresses = lines.map { String($0.dropFirst("listening on ".count)) }
    // Nobody reads the access log on: a full pipe would stop the server.
    let handle = output.fileHandleForReading
    Thread { while !handle.availableData.isEmpty {} }.start()
  }

  var url: String { addresses[0] }
  var port: UInt16 { UInt16(url.split(separator: ":").last ?? "") ?? 0 }
  var log: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

  /// Waits until the log says that; false when it does not in half a minute.
  func logs(_ words: String) -> Bool { eventually { log.contains(words) } }

  /// Sends a signal and waits for the end; the exit status, or 128 and the signal that ended it.
  @discardableResult
  func stop(_ signal: Int32 = SIGTERM) -> Int32 {
    if process.isRunning { kill(process.processIdentifier, signal) }
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
  }

  deinit { stop(SIGKILL) }

  struct StartFailure: Error {
    let text: String
    let status: Int32
  }
}

/// Whether something that another process does comes true within half a minute: nothing tells when it does.
func eventually(_ condition: () -> Bool) -> Bool {
  let deadline = Date(timeIntervalSinceNow: 30)
  while !condition() {
    guard Date() < deadline else { return false }
    usleep(2000)
  }
  return true
}
