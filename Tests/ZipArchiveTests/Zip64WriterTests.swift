import Foundation
import Platform
import Testing

@testable import ZipArchive

/// Writes holes where zeros are due, so that archives of 4 GiB cost neither room nor time.
private struct SparseVolume: Volume {
  private static let zeros = [UInt8](repeating: 0, count: 256 << 10)
  private static let zerosSum = CRC32.value(of: zeros)

  private let system = SystemVolume()

  func write(_ bytes: [UInt8], to file: File, at offset: Int64) throws(SystemError) {
    let end = offset + Int64(bytes.count)
    let size = try file.size
    // zlib's sum is quick where comparing bytes is not optimised.
    let sum = CRC32.value(of: bytes)
    let zeros =
      bytes.count == Self.zeros.count
      ? Self.zerosSum : CRC32.value(of: [UInt8](repeating: 0, count: bytes.count))
    if sum == zeros && offset >= size { return try file.truncate(to: end) }
    let isThere = end <= size ? CRC32.value(of: try file.bytes(at: offset, count: bytes.count)) == sum : false
    if !isThere { try system.write(bytes, to: file, at: offset) }
  }

  func synchronize(_ file: File) throws(SystemError) {}

  func synchronize(_ directory: Directory) throws(SystemError) {}

  func rename(
    _ name: String, in source: Directory, to newName: String, in target: Directory
  ) throws(SystemError) {
    try system.rename(name, in: source, to: newName, in: target)
  }

  func createSymlink(_ name: String, to target: String, in directory: Directory) throws(SystemError) {
    try system.createSymlink(name, to: target, in: directory)
  }
}

/// zip64 is there when it is needed and only then.
@Suite struct Zip64WriterTests {
  private static let full: Int64 = 0xFFFF_FFFF

  private let bench: WriterBench

  init() throws { bench = try WriterBench() }

  /// Plan, names and sizes as Python reads them, and the bytes of the last entry as it unpacks them.
  private func pythonReads(_ name: String) throws -> String? {
    let program = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1])
      print([(i.filename, i.file_size, i.compress_size, i.header_offset, len(i.extra)) for i in z.infolist()])
      print(z.read(z.infolist()[-1].filename))
      """
    return try run("python3", ["-c", program, bench.path(name)])?.output
  }

  private func judgePlan(_ name: String) throws -> PackagePlan {
    var options = PackageOptions.standard
    options.limits.entrySize = .max
    options.limits.unpackedSize = .max
    return try PackageReader(file: try bench.directory.file(name, mode: .read), options: options).plan
  }

  @Test(arguments: [-1, 0]) func aFileOf4GiBHasItAndTheOneBehindItToo(difference: Int64) throws {
    let size = Self.full + difference
    let source = try bench.directory.file("zeros", mode: .createNew)
    try source.truncate(to: size)
    let options = ZipWriterOptions(level: 0)
    let zip = try ZipWriter(creating: "a.zip", in: bench.directory, options: options, volume: SparseVolume())
    try zip.add(source, as: "zeros")
    if difference < 0 {
      try zip.add(data: Array("behind".utf8), as: "z")
      try zip.finish()
    } else {
      try zip.finish()
      let more = try ZipWriter(
        appendingTo: "a.zip", in: bench.directory, options: options, volume: SparseVolume())
      try more.add(data: Array("behind".utf8), as: "z")
      try more.finish()
    }
    let plan = try judgePlan("a.zip")
    #expect(plan.findings.map(\.rule) == [.noIndex], "\(plan.findings)")
    #expect(plan.files.map(\.size) == [size, 6])
    let added: Int64 = difference < 0 ? 0 : 20
    #expect(plan.files[0].dataOffset == 30 + 5 + added)
    let python = try pythonReads("a.zip")
    // Size and compressed size of the first, the second's offset: what does not fit has a field.
    #expect(python?.contains("('zeros', \(size), \(size), 0, \(added))") != false, "\(python ?? "")")
    #expect(python?.contains("('z', 6, 6, \(35 + added + size), 12)") != false, "\(python ?? "")")
    #expect(python?.contains("b'behind'") != false)
  }

  @Test func aStreamThatBecomesLargerThan4GiBMakesRoomForItsSizes() throws {
    let zip = try ZipWriter(
      creating: "a.zip", in: bench.directory, options: ZipWriterOptions(level: 0), volume: SparseVolume())
    try zip.add(data: Array("before".utf8), as: "a")
    try zip.openEntry("zeros")
    let chunk = [UInt8](repeating: 0, count: 64 << 20)
    try zip.write(Array("head".utf8))
    for _ in 0..<64 { try zip.write(chunk) }
    try zip.write(Array("tail".utf8))
    try zip.closeEntry()
    try zip.add(data: Array("behind".utf8), as: "z")
    try zip.finish()
    let plan = try judgePlan("a.zip")
    #expect(plan.findings.map(\.rule) == [.noIndex], "\(plan.findings)")
    let size = 64 * Int64(chunk.count) + 8
    #expect(plan.files.map(\.size) == [6, size, 6])
    let entry = plan.files[1]
    #expect(entry.dataOffset == entry.headerOffset + 30 + 5 + 20)
    let file = try bench.directory.file("a.zip", mode: .read)
    #expect(try file.bytes(at: entry.dataOffset, count: 6) == Array("head".utf8) + [0, 0])
    #expect(try file.bytes(at: entry.dataOffset + size - 5, count: 5) == [0] + Array("tail".utf8))
    #expect(try pythonReads("a.zip")?.contains("b'behind'") != false)
  }

  /// APPNOTE 4.4.22: the count has 16 bits.
  @Test(arguments: [65_535, 65_536]) func moreThan65535EntriesHaveIt(count: Int) throws {
    let zip = try ZipWriter(
      creating: "a.zip", in: bench.directory, options: ZipWriterOptions(level: 0), volume: SparseVolume())
    for index in 0..<count { try zip.add(data: [UInt8(truncatingIfNeeded: index)], as: "\(index)") }
    #expect(try zip.finish().entries == count)
    let plan = try judgePlan("a.zip")
    #expect(plan.entryCount == count)
    #expect(plan.findings.map(\.rule) == [.noIndex])
    let bytes = try bench.bytes("a.zip")
    let hasZip64 = bytes.uint32(at: bytes.count - 42) == Signature.zip64Locator
    #expect(hasZip64 == (count > 65_535))
    guard hasZip64 else { return }
    for (program, arguments) in [("unzip", ["-tqq"]), ("python3", ["-m", "zipfile", "-t"]), ("7z", ["t"])] {
      guard let done = try run(program, arguments + [bench.path("a.zip")]) else { continue }
      #expect(done.status == 0, "\(program): \(done.output.suffix(300))")
    }
  }
}
