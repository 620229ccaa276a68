import Platform
import Testing

@Suite struct HashTests {
  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // RFC 1321 §A.5 and FIPS 180-2 appendix B.
  @Test(arguments: [
    (Hash.Function.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
    (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ])
  func agreesWithItsStandard(function: Hash.Function, text: String, digest: String) {
    #expect(Self.hex(Hash.digest(of: Array(text.utf8), function)) == digest)
  }

  @Test func doesNotDependOnHowTheBytesCome() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var hash = Hash(.sha256)
    for start in stride(from: 0, to: 1000, by: 7) { hash.update(Array(bytes[start..<min(start + 7, 1000)])) }
    #expect(hash.finish() == Hash.digest(of: bytes, .sha256))
    var first = Hash(.sha256)
    first.update(bytes, count: 10)
    #expect(first.finish() == Hash.digest(of: Array(bytes[..<10]), .sha256))
  }
}

@Suite struct SecretsTests {
  @Test func comparesAllBytes() {
    #expect(Secrets.areEqual([], []))
    #expect(Secrets.areEqual([1, 2], [1, 2]))
    #expect(!Secrets.areEqual([1, 2], [1, 3]))
    #expect(!Secrets.areEqual([1, 2], [1, 2, 3]))
  }

  @Test func makesNoTwoSecretsAlike() throws {
    let first = try #require(Secrets.randomBytes(32))
    #expect(first.count == 32)
    #expect(try #require(Secrets.randomBytes(32)) != first)
    #expect(Secrets.randomBytes(0) == [])
  }
}
