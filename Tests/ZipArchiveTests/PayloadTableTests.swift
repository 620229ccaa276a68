import Platform
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct PayloadTableTests {
  private func table(_ bench: WriterBench, _ package: [UInt8]) throws -> PayloadTable {
    try PayloadTable(bench.write(package, as: "old.zip"), limits: .standard)
  }

  private func index(_ bench: WriterBench, _ package: [UInt8]) throws -> PackageIndex {
    let file = try bench.write(package, as: "new.zip")
    return try PackageIndex(decoding: PackageIndex.make(of: file, limits: .standard), limits: .standard)
  }

  @Test func findsWhatAnOlderPackageHasUnderAnyName() throws {
    let bench = try WriterBench()
    let old = ZipBuilder([ZipEntry("a", "hello hello hello"), ZipEntry.stored("b", "xyz")]).build()
    let new = ZipBuilder([ZipEntry("new", "brand new"), ZipEntry.stored("moved/b", "xyz")]).build()
    let table = try table(bench, old)
    let places = try index(bench, new).payloads.map { try table.offset(of: $0) }
    #expect(places.count == 2 && places[0] == nil)
    let found = try #require(places[1])
    #expect(Array(old[Int(found)..<Int(found) + 3]) == Array("xyz".utf8))
  }

  @Test func takesContentOfAnotherSizeForAnother() throws {
    let bench = try WriterBench()
    let table = try table(bench, ZipBuilder([ZipEntry.stored("b", "xyz")]).build())
    let crc = CRC32.value(of: Array("xyz".utf8))
    let payload = { PackagePayload(crc32: crc, compressedSize: $0, size: $1, offset: 0) }
    #expect(try table.offset(of: payload(3, 3)) == 31)
    #expect(try table.offset(of: payload(3, 4)) == nil)
    #expect(try table.offset(of: payload(2, 3)) == nil)
  }

  /// Encrypted again, the same content has other bytes, of which checksum and sizes say nothing.
  @Test(arguments: TestCipher.all)
  func takesContentThatWasEncryptedAgainForAnother(_ cipher: TestCipher) throws {
    let bench = try WriterBench()
    let entry = ZipEntry("index.html", "secret secret")
    let old = ZipBuilder([entry.encrypted(cipher, password: "one")]).build()
    let new = ZipBuilder([entry.encrypted(cipher, password: "two")]).build()
    let table = try table(bench, old)
    #expect(try index(bench, new).payloads.compactMap { try table.offset(of: $0) } == [])
    #expect(try index(bench, old).payloads.compactMap { try table.offset(of: $0) }.count == 1)
  }

  @Test func refusesWhatIsNoZip() throws {
    let bench = try WriterBench()
    #expect(throws: IndexError.self) { try table(bench, [1, 2, 3]) }
  }
}
