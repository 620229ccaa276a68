import Foundation
import TestSupport
import Testing

@testable import ZipArchive

@Suite struct GzipTests {
  @Test(arguments: [0, 1, 1025, 300_000])
  func anotherToolReadsWhatIsCompressed(_ count: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 * 31) }
    let small = try #require(Gzip.compress(bytes))
    #expect(small == Gzip.compress(bytes), "an entity tag is made of it")
    try Data(small).write(to: URL(filePath: "\(folder.path)/a.gz"))
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/env")
    tool.arguments = ["gunzip", "\(folder.path)/a.gz"]
    try tool.run()
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 0)
    #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/a")) == Data(bytes))
  }
}
