import DepotModel
import Platform
import Testing

@testable import MirrorClient

@Suite struct FileListCodecTests {
  private func file(_ path: String, size: Int64 = 5, time: Int64 = 1_790_000_000_123_456_789) throws
    -> InstalledFile
  {
    InstalledFile(
      path: path, size: size,
      sha256: try #require(SHA256Digest(bytes: Hash.digest(of: Array(path.utf8), .sha256))),
      crc32: 0xDEAD_BEEF, modifiedAtNanoseconds: time)
  }

  @Test func bringsBackWhatWasPutIn() throws {
    let files = InstalledFiles(
      [
        try file("js/b.js", size: 0, time: -1), try file("img/背景.png", size: .max, time: .max),
        try file("js/a.js", time: .min), try file("index.html"),
      ], folders: ["js", "saves/empty", "saves", "img"])
    #expect(files.map(\.path) == ["img/背景.png", "index.html", "js/a.js", "js/b.js"])
    #expect(files.emptyFolders == ["saves/empty"])
    #expect(FileListCodec.decode(FileListCodec.encode(files)) == files)
    let none = InstalledFiles([InstalledFile](), folders: [])
    #expect(FileListCodec.decode(FileListCodec.encode(none)) == none)
  }

  @Test func findsAFileByItsPathAlone() throws {
    let files = InstalledFiles(try ["a", "a/b", "a.b", "b"].map { try file($0) }, folders: [])
    for path in ["a", "a/b", "a.b", "b"] { #expect(files.file(at: path)?.path == path) }
    for path in ["", "A", "a/", "a/b/c", "c"] { #expect(files.file(at: path) == nil) }
    // The same letter in another form is another name to a file system.
    let composed = InstalledFiles([try file("é")], folders: [])
    #expect(composed.file(at: "e\u{301}") == nil)
  }

  /// A record costs little more than the digest and the CRC, so 10,000 games of 20 files are 12 MB.
  @Test func takesFewBytesForEachFile() throws {
    let files = InstalledFiles(
      try (0..<1000).map { try file("assets/textures/\($0).png", time: 1_790_000_000_000_000_000 + $0) },
      folders: [])
    #expect(FileListCodec.encode(files).count < 1000 * 50)
  }

  @Test func refusesEveryCutAndEveryClaimOfMore() throws {
    let bytes = FileListCodec.encode(InstalledFiles([try file("a/b"), try file("a/c")], folders: ["d"]))
    for count in 0..<bytes.count { #expect(FileListCodec.decode(Array(bytes[..<count])) == nil) }
    #expect(FileListCodec.decode(bytes + [0]) == nil)
    #expect(FileListCodec.decode([2] + bytes.dropFirst()) == nil)
    // 2^63 files, and a number that no 64 bits hold.
    let huge: [UInt8] = [1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]
    #expect(FileListCodec.decode(huge) == nil)
    #expect(FileListCodec.decode([1] + [UInt8](repeating: 0xFF, count: 20)) == nil)
  }
}
