import Platform
import Synchronization
import Testing

@testable import MirrorClient

/// A file system of its own at `packages`: nothing can be renamed into it from elsewhere. And its nth write or rename
/// within it fails.
private final class PartedVolume: Volume {
  private let system = SystemVolume()
  private let left: Mutex<Int>

  init(failing step: Int = .max) { left = Mutex(step) }

  private func step() throws(SystemError) {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { throw SystemError(errno: 28, operation: "write") }
  }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    if file.path.hasSuffix(PackageMove.copyName) { try step() }
    try system.write(bytes, to: file, at: offset)
  }

  func synchronize(_ file: File) throws(SystemError) { try system.synchronize(file) }
  func synchronize(_ directory: Directory) throws(SystemError) { try system.synchronize(directory) }

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    guard source.path == target.path || !target.path.contains("/packages/") else {
      throw SystemError(errno: 18, operation: "rename", path: name)
    }
    if newName.hasSuffix(".zip") { try step() }
    try system.rename(name, in: source, to: newName, in: target)
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try system.createSymlink(name, to: target, in: directory)
  }
}

@Suite struct PackageMoveTests {
  @Test func packagesMayLieOnAnotherDisk() async throws {
    let bench = try Bench()
    let release = try bench.depot.publish("a", "1", "one")
    #expect(try await bench.sync(volume: PartedVolume()).exitCode == 0)
    #expect(bench.page("a") == "one" && bench.packages("a") == ["1.zip"] && bench.leftovers("a") == [])
    #expect(try bench.mirror().isInstalled(game("a")))
    let package = try #require(bench.folder.bytes("mirror/packages/a/1.zip"))
    #expect(package.count == release.size)
  }

  @Test(arguments: 1...2) func aCopyThatFailsIsMadeAnew(step: Int) async throws {
    let bench = try Bench()
    try bench.depot.publish("a", "1", "one")
    let report = try await bench.sync(volume: PartedVolume(failing: step))
    #expect(report.exitCode == 73 && bench.page("a") == nil && !bench.packages("a").contains("1.zip"))
    #expect(try await bench.sync(volume: PartedVolume()).exitCode == 0)
    #expect(bench.page("a") == "one" && bench.packages("a") == ["1.zip"] && bench.leftovers("a") == [])
    #expect(bench.fetcher.fetched == ["a 1"])
  }
}
