import Testing

@testable import HTTPWire

@Suite struct AuthorityTests {
  private func isValid(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Authority.isValid(bytes.span, in: 0..<bytes.count)
  }

  @Test(arguments: [
    "a", "depot.test", "127.0.0.1:8080", "a:", "a:0", "a:65535", "a:00080", "a_b-c.d~", "%41.test",
    "sub!delims$&'()*+,;=",
    "[::]", "[::1]", "[::1]:80", "[1::]", "[1:2:3:4:5:6:7:8]", "[1::8]", "[::ffff:1.2.3.4]", "[::0.0.0.255]",
    "[1::1.2.3.4]",
    "[1:2:3:4:5:6:1.2.3.4]",
    "[2001:db8::ABCD]", "[1:2:3:4:5:6:7::]",
  ])
  func takesHostsAndPorts(_ text: String) { #expect(isValid(text)) }

  @Test(arguments: [
    "", ":80", "a:65536", "a:-1", "a:x", "a:1:2", "a b", "a/b", "a?b", "a#b", "u@a", "a\\b", "%4", "%zz",
    "a%", "ä", "\"a\"", "<a>",
    "[", "[]", "[::1", "::1", "[::1]x", "[1]", "[1:2]", "[:1]", "[1:]", "[1:::2]", "[::1::]", "[12345::]",
    "[g::]",
    "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[::1.2.3]", "[::1.2.3.256]", "[::1.2.3.4.5]", "[1.2.3.4]",
    "[::1.2.3.4:1]", "[v1.a]", "[fe80::1%25eth0]", "[::1]:99999", "[::0001.2.3.4]", "[::01.2.3.4]",
    "[::1.2.3.00]", "[::1..2.3]",
  ])
  func refusesEverythingElse(_ text: String) { #expect(!isValid(text)) }
}
