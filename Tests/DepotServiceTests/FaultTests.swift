import Catalogue
import DepotModel
import DepotService
import Foundation
import HTTPWire
import Platform
import Synchronization
import TestSupport
import Testing

/// A file system whose nth step that makes bytes durable fails, or is the last one before the power goes.
private final class FaultyVolume: Volume {
  private struct State {
    var failing: Int?
    var steps = 0
  }

  private let state = Mutex(State())
  private let real = SystemVolume()
  private let errno: Int32

  init(errno: Int32) { self.errno = errno }

  /// Counts anew; step `number` (from 0) fails, nil lets all pass.
  func fail(at number: Int?) { state.withLock { $0 = State(failing: number) } }

  /// Steps since `fail(at:)`.
  var steps: Int { state.withLock { $0.steps } }

  private func step(_ operation: String) throws(SystemError) {
    let fails = state.withLock { state in
      defer { state.steps += 1 }
      return state.steps == state.failing
    }
    if fails { throw SystemError(errno: errno, operation: operation) }
  }

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    try step("write")
    try real.write(bytes, to: file, at: offset)
  }

  func synchronize(_ file: File) throws(SystemError) {
    try step("fsync")
    try real.synchronize(file)
  }

  func synchronize(_ directory: Directory) throws(SystemError) {
    try step("fsync")
    try real.synchronize(directory)
  }

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try step("rename")
    try real.rename(name, in: source, to: newName, in: target)
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try step("symlink")
    try real.createSymlink(name, to: target, in: directory)
  }
}

@Suite struct FaultTests {
  @Test(arguments: [(EIO, 500, "internal"), (ENOSPC, 507, "disk-floor")])
  func keepsTheOldStateWhicheverStepFails(errno: Int32, status: Int, slug: String) async throws {
    let volume = FaultyVolume(errno: errno)
    let fixture = try DepotFixture(volume: volume)
    let old = Samples.game("old")
    #expect(try await fixture.publish("gameId=a&h5Version=1", old).status == 201)
    let revision = try fixture.depot.catalogue.revision()
    var number = 0
    while number < 100 {
      volume.fail(at: number)
      let reply = try await fixture.publish("gameId=a&h5Version=2", Samples.game("new"))
      guard reply.status != 201 else { break }
      #expect(reply.status == status)
      #expect(reply.slug == slug)
      #expect(!reply.text.contains(fixture.path))
      #expect(try fixture.depot.catalogue.revision() == revision)
      #expect(try await fixture.ask("/games/a")["h5Version"] == "1")
      #expect(try await fixture.ask("/games/a/package.zip").bytes == old)
      #expect(try await fixture.ask("/games/a/versions/2/package.zip").slug == "unknown-version")
      #expect(fixture.names(in: "ingest").isEmpty)
      number += 1
    }
    // Write (in pieces), fsync, rename, fsync of the folder, and of its parent when it is new.
    #expect(number >= 4)
    #expect(try await fixture.ask("/games/a/package.zip").bytes == Samples.game("new"))
  }

  @Test func givesUpAPackageWhenTheDepotStops() async throws {
    let fixture = try DepotFixture()
    fixture.depot.giveUpChecks()
    let reply = try await fixture.publish("gameId=a&h5Version=1")
    #expect(reply.status == 503)
    #expect(reply.slug == "unavailable")
    #expect(fixture.names(in: "ingest").isEmpty)
    #expect(fixture.blobNames.isEmpty)
    #expect(try await fixture.ask("/games/a").status == 404)
  }

  @Test func keepsTheOldStateWhenARepeatedUploadCannotBringAPackageBack() async throws {
    let volume = FaultyVolume(errno: EIO)
    let fixture = try DepotFixture(volume: volume)
    let zip = Samples.game()
    try await fixture.publish("gameId=a&h5Version=1", zip)
    let hex = Samples.sha256(zip)
    try FileManager.default.removeItem(atPath: "\(fixture.path)/blobs/sha256/\(hex.prefix(2))/\(hex)")
    let other = try DepotFixture(reopening: fixture, volume: volume)
    volume.fail(at: 2)
    #expect(try await other.publish("gameId=a&h5Version=1", zip).status == 500)
    volume.fail(at: nil)
    #expect(try await other.publish("gameId=a&h5Version=1", zip).status == 200)
    #expect(try await other.ask("/games/a/package.zip").bytes == zip)
  }
}
