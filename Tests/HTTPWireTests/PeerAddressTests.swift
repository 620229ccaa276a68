import HTTPWire
import Testing

/// Numeric addresses as text.
@Suite struct PeerAddressTests {
  @Test(arguments: [
    ("0.0.0.0", PeerAddress.ipv4(0, port: 9)), ("255.255.255.255", .ipv4(.max, port: 9)),
    ("192.0.2.1", .ipv4(0xc000_0201, port: 9)), ("::", .ipv6(0, 0, port: 9)), ("::1", .ipv6(0, 1, port: 9)),
    ("1::", .ipv6(1 << 48, 0, port: 9)),
    ("2001:DB8::a:b", .ipv6(0x2001_0db8_0000_0000, 0x000a_000b, port: 9)),
    ("1:2:3:4:5:6:7:8", .ipv6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008, port: 9)),
    ("1:2:3:4:5:6:7::", .ipv6(0x0001_0002_0003_0004, 0x0005_0006_0007_0000, port: 9)),
    ("::2:3:4:5:6:7:8", .ipv6(0x0000_0002_0003_0004, 0x0005_0006_0007_0008, port: 9)),
    ("64:ff9b::192.0.2.33", .ipv6(0x0064_ff9b << 32, 0xc000_0221, port: 9)),
    ("1:2:3:4:5:6:1.2.3.4", .ipv6(0x0001_0002_0003_0004, 0x0005_0006_0102_0304, port: 9)),
    ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .ipv6(.max, .max, port: 9)),
    // The same client, whichever socket it came to.
    ("::ffff:192.0.2.1", .ipv4(0xc000_0201, port: 9)), ("::ffff:c000:201", .ipv4(0xc000_0201, port: 9)),
  ])
  func readsAddresses(text: String, address: PeerAddress) {
    #expect(PeerAddress(text, port: 9) == address)
    #expect(PeerAddress("x\(text)".dropFirst(), port: 9) == address)
  }

  @Test(arguments: [
    "", ".", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.", "1.2.3.+4", "1.2.3.4 ", " 1.2.3.4",
    "1.2.3.٤",
    ":", ":::", "::1::", ":1", "1:", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", "12345::", "g::", "+1::", "::1.2.3", "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4", "::1%eth0", "[::1]", "localhost", "::1.2.3.4:5",
  ])
  func readsNothingElse(text: String) { #expect(PeerAddress(text) == nil) }
}
