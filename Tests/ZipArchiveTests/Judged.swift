import Foundation
import Platform
import TestSupport
import ZipArchive

/// A folder that goes when the value goes.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "zip-tests-" + UUID().uuidString
    _ = try Directory(creating: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], as name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}

/// What the rules say to some bytes, contents included.
struct Judged {
  let plan: PackagePlan
  let contents: ContentsReport
  let reader: PackageReader

  var findings: [Finding] { plan.findings + contents.findings }
  var isAccepted: Bool { plan.isAccepted && contents.isAccepted }
  /// Names of the rules broken, warnings and notices included, each once.
  var rules: Set<String> { Set(findings.map(\.rule.rawValue)) }
  var errors: Set<String> { Set(findings.filter { $0.severity == .error }.map(\.rule.rawValue)) }
  var paths: [String] { plan.files.map(\.path) }

  func detail(of rule: Rule) -> String? { findings.first { $0.rule == rule }?.detail }

  /// Unpacks into a new folder: what is in it then, folders with a slash behind and no content.
  func unpacked() throws -> [String: [UInt8]] {
    let folder = try TemporaryFolder()
    try reader.unpack(into: try Directory(path: folder.path), volume: SystemVolume(), options: .quick)
    return try tree(folder.path)
  }
}

extension PackageOptions {
  static let standard = PackageOptions(limits: .standard)
}

extension UnpackOptions {
  /// Nothing is fsynced.
  static let quick = quick(2)

  static func quick(_ threads: Int = 2, existing: Existing = .refuse) -> UnpackOptions {
    UnpackOptions(
      existing: existing, keepsDates: false, isDurable: false, isReadOnly: false, digests: false,
      threads: threads)
  }
}

func judge(_ bytes: [UInt8], _ options: PackageOptions = .standard, digests: Bool = false) throws -> Judged {
  let folder = try TemporaryFolder()
  return try judge(file: try folder.write(bytes, as: "package.zip"), options, digests: digests)
}

/// A file for one zip after the other: thousands of small ones are judged in the time that their files would take.
final class ZipScratch {
  private let folder: TemporaryFolder
  private let file: File

  init() throws {
    folder = try TemporaryFolder()
    file = try File(path: folder.path + "/scratch.zip", mode: .createNew)
  }

  /// What is returned may be asked until the next zip comes.
  func judge(_ bytes: [UInt8], digests: Bool = false) throws -> Judged {
    try file.truncate(to: 0)
    try SystemVolume().write(bytes, to: file, at: 0)
    let reader = try PackageReader(file: file, options: .standard)
    return Judged(plan: reader.plan, contents: try reader.verifyContents(digests: digests), reader: reader)
  }
}

func judge(file path: String, _ options: PackageOptions = .standard, digests: Bool = false) throws -> Judged {
  let reader = try PackageReader(file: try File(path: path, mode: .read), options: options)
  return Judged(plan: reader.plan, contents: try reader.verifyContents(digests: digests), reader: reader)
}

func judge(_ entries: [ZipEntry], _ options: PackageOptions = .standard) throws -> Judged {
  try judge(ZipBuilder(entries).build(), options)
}

/// Everything below a folder: files with their bytes, folders with a slash behind.
func tree(_ path: String) throws -> [String: [UInt8]] {
  var found: [String: [UInt8]] = [:]
  for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
    let whole = "\(path)/\(name)"
    let kind = try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType
    if kind == .typeDirectory {
      found[name + "/"] = []
    } else {
      found[name] = Array(try Data(contentsOf: URL(fileURLWithPath: whole)))
    }
  }
  return found
}

/// The program's output and exit code; nil when it is not installed.
func run(_ program: String, _ arguments: [String], in folder: String? = nil) throws -> (
  status: Int32, output: String
)? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments =
    ["sh", "-c", "command -v \"$0\" >/dev/null || exit 127; exec \"$0\" \"$@\"", program] + arguments
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus != 127 else { return nil }
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
