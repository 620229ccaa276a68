import DepotModel
import Testing

@Suite struct DigestTests {
  // RFC 1321 A.5 and FIPS 180-4: the digests of no bytes.
  private let md5 = "d41d8cd98f00b204e9800998ecf8427e"
  private let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test func readsAndWritesHex() throws {
    #expect(try #require(MD5Digest(hex: md5)).hex == md5)
    #expect(try #require(SHA256Digest(hex: sha256)).description == sha256)
    #expect(try #require(MD5Digest(hex: md5)).bytes.prefix(2) == [0xD4, 0x1D])
  }

  @Test func readsHexOfEitherCase() {
    #expect(MD5Digest(hex: md5.uppercased()) == MD5Digest(hex: md5))
  }

  @Test func readsAndWritesBase64() throws {
    #expect(try #require(MD5Digest(hex: md5)).base64 == "1B2M2Y8AsgTpgAmY7PhCfg==")
    #expect(MD5Digest(base64: "1B2M2Y8AsgTpgAmY7PhCfg==") == MD5Digest(hex: md5))
  }

  @Test(arguments: [
    "", "d41d8cd98f00b204e9800998ecf8427", "d41d8cd98f00b204e9800998ecf8427e0",
    "g41d8cd98f00b204e9800998ecf8427e", " d41d8cd98f00b204e9800998ecf8427",
    "d41d8cd98f00b204e9800998ecf8427é", "d41d8cd98f00b204e9800998ecf8427\n",
  ])
  func refusesOtherHex(_ text: String) {
    #expect(MD5Digest(hex: text) == nil)
  }

  @Test(arguments: [
    "", "====", "1B2M2Y8AsgTpgAmY7PhCfg", "1B2M2Y8AsgTpgAmY7PhC", "1B2M2Y8AsgTpgAmY7PhCfgAA",
    "1B2M2Y8AsgTpgAmY7PhCf!==", "not base64",
  ])
  func refusesOtherBase64(_ text: String) {
    #expect(MD5Digest(base64: text) == nil)
  }

  @Test func refusesOtherLengths() {
    #expect(MD5Digest(bytes: Array(repeating: 0, count: 15)) == nil)
    #expect(MD5Digest(bytes: Array(repeating: 0, count: 16)) != nil)
    #expect(SHA256Digest(bytes: Array(repeating: 0, count: 16)) == nil)
    #expect(SHA256Digest(hex: md5) == nil)
    #expect(SHA256Digest(base64: "1B2M2Y8AsgTpgAmY7PhCfg==") == nil)
  }
}
