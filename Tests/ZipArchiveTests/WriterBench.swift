import Foundation
import Platform
import Testing

@testable import ZipArchive

/// A folder to write archives into.
final class WriterBench {
  let folder: TemporaryFolder
  let directory: Directory

  init() throws {
    folder = try TemporaryFolder()
    directory = try Directory(path: folder.path)
  }

  var names: [String] { (try? directory.names()) ?? [] }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Creates a file below the folder, and the folders it lies in.
  @discardableResult
  func write(_ bytes: [UInt8], as name: String) throws -> File {
    let url = URL(fileURLWithPath: path(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return try directory.file(name, mode: .read)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func judged(_ name: String) throws -> Judged { try judge(file: path(name)) }

  /// Writes an archive, and expects that our own rules say nothing to it but `rules`.
  func archive(
    _ name: String = "a.zip", _ options: ZipWriterOptions = ZipWriterOptions(),
    rules: Set<String> = ["no-index"],
    _ body: (ZipWriter) throws -> Void
  ) throws -> Judged {
    let writer = try ZipWriter(creating: name, in: directory, options: options)
    try body(writer)
    try writer.finish()
    let judged = try judged(name)
    #expect(judged.isAccepted)
    #expect(judged.rules == rules, "\(judged.findings)")
    return judged
  }
}

/// The same bytes each time, which deflate makes no smaller; at most 2,000,000.
func noise(_ count: Int) -> [UInt8] { Array(manyBytes[..<count]) }

private let manyBytes: [UInt8] = {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  var bytes: [UInt8] = []
  while bytes.count < 2_000_000 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: state >> UInt64(shift)))
    }
  }
  return bytes
}()

/// Text that deflate makes much smaller.
func prose(_ lines: Int) -> [UInt8] {
  Array((0..<lines).map { "line \($0): the courier dives\n" }.joined().utf8)
}
